var structlarmor_1_1ImageCounters =
[
    [ "operator<=>", "structlarmor_1_1ImageCounters.html#adf75142a1e4d4d61512dc19e594d4ede", null ],
    [ "contrast", "structlarmor_1_1ImageCounters.html#a05ef3020e445cfd1fa9c146017b89eea", null ],
    [ "phase", "structlarmor_1_1ImageCounters.html#a7fbd9f0f69d68183620c708a6b213f7a", null ],
    [ "repetition", "structlarmor_1_1ImageCounters.html#a7644471d29bbe7a8ec5d158a007e3080", null ],
    [ "set", "structlarmor_1_1ImageCounters.html#aa754abc038310b0d3540a06e39cd3c6b", null ],
    [ "slice", "structlarmor_1_1ImageCounters.html#a2b46ef7eac28ad52299a17561e4307af", null ]
];