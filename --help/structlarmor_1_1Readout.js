var structlarmor_1_1Readout =
[
    [ "data_offset", "structlarmor_1_1Readout.html#acb3c224663a161deed8c6a97cbac61a6", null ],
    [ "header", "structlarmor_1_1Readout.html#a6226e0b8196770a00c9ba4fc3cc55e84", null ],
    [ "trajectory_offset", "structlarmor_1_1Readout.html#a474ad70fe1ac951d79088971e8eee696", null ]
];