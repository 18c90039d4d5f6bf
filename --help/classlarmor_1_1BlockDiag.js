var classlarmor_1_1BlockDiag =
[
    [ "BlockDiag", "classlarmor_1_1BlockDiag.html#a545fd25787e94f7358a4bd39e2bdbb35", null ],
    [ "do_normal", "classlarmor_1_1BlockDiag.html#af627a6dbbf226675490776222dd9f0c9", null ],
    [ "name", "classlarmor_1_1BlockDiag.html#a02cee90d3456c4958407ec444b71b2ca", null ],
    [ "run", "classlarmor_1_1BlockDiag.html#aec87025894e0f14ffd7ed3f4d3bf7286", null ]
];