var classlarmor_1_1Scaled =
[
    [ "Scaled", "classlarmor_1_1Scaled.html#ae45d8fd3f7b7e6239ddfe6b2f784c36c", null ],
    [ "do_normal", "classlarmor_1_1Scaled.html#a2fc71c895e6928efa0ed29bb321260f4", null ],
    [ "name", "classlarmor_1_1Scaled.html#a247820837239baf1edd2c861bdfa101e", null ],
    [ "normal_through", "classlarmor_1_1Scaled.html#a9f56518ccebe728999ea8b79d1ccb636", null ],
    [ "run", "classlarmor_1_1Scaled.html#a10f0d1226b1c6a3307d026eb60acd62f", null ],
    [ "scratch_bytes", "classlarmor_1_1Scaled.html#a144037620ea8e269c2b381ca9a69a962", null ]
];