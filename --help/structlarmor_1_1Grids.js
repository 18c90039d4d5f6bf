var structlarmor_1_1Grids =
[
    [ "recon_shape", "structlarmor_1_1Grids.html#a89631f27ebd6de3e1987cdb4f892b66e", null ],
    [ "solve_shape", "structlarmor_1_1Grids.html#acb2844827870cff7e728fe49728ff257", null ],
    [ "encoded", "structlarmor_1_1Grids.html#ac5bc2658ad88c4d1b70deaa356d6a4ae", null ],
    [ "k_scale", "structlarmor_1_1Grids.html#a0063081cd6ea67276f4abe0bff568e66", null ],
    [ "notes", "structlarmor_1_1Grids.html#a84be792082536c3f63700009d28c8679", null ],
    [ "recon", "structlarmor_1_1Grids.html#ac69d4d5bfe196d723cbccc2795b44a08", null ],
    [ "solve", "structlarmor_1_1Grids.html#a91a754b272e285c25fe6bb5502f6105c", null ],
    [ "volume", "structlarmor_1_1Grids.html#ac0944eeb8f14bc4307a688761f9bab62", null ],
    [ "warnings", "structlarmor_1_1Grids.html#af8bade483563fe7735c9c6aebd96eada", null ]
];