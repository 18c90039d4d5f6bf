var structlarmor_1_1NoiseInput =
[
    [ "frame_samples", "structlarmor_1_1NoiseInput.html#a6ad4fae075fd4df258b7d8400167ee47", null ],
    [ "maps", "structlarmor_1_1NoiseInput.html#a6cbf92b7dd2f8580a0c303ee13cdc8ee", null ],
    [ "problem", "structlarmor_1_1NoiseInput.html#af565073bfca1968384980a21ad8cc9e3", null ],
    [ "root_density", "structlarmor_1_1NoiseInput.html#a215d608a7f117301eb557aaa95343495", null ],
    [ "samples", "structlarmor_1_1NoiseInput.html#a12d2122aa44a10fb76b5586cae1d6abf", null ],
    [ "solve", "structlarmor_1_1NoiseInput.html#a624ab6485b97a1f466f8b40f65422c16", null ],
    [ "x", "structlarmor_1_1NoiseInput.html#ac8e33be5b9e7a9c5b1d69e292d47c925", null ]
];