var structlarmor_1_1TuneResult =
[
    [ "candidates", "structlarmor_1_1TuneResult.html#a67c4a4a3b7c514ade11fc8fe1b09cc02", null ],
    [ "chosen", "structlarmor_1_1TuneResult.html#a541c41a2f86e3ffee30fda0c56d1e324", null ],
    [ "from_wisdom", "structlarmor_1_1TuneResult.html#a6e7c254abb09d000dc531cda456ed429", null ],
    [ "key", "structlarmor_1_1TuneResult.html#a6a1777d9b1d4d44b6789d1ae3f6a12ca", null ],
    [ "options", "structlarmor_1_1TuneResult.html#ac9e3c56c26abf5a406c25ef1cd313544", null ],
    [ "seconds", "structlarmor_1_1TuneResult.html#a836f38d35a5fa2bc7e468f21457736f2", null ],
    [ "trials", "structlarmor_1_1TuneResult.html#a3b3dab8ca448c94819f8248da1105a4e", null ]
];