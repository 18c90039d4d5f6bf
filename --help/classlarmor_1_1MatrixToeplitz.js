var classlarmor_1_1MatrixToeplitz =
[
    [ "MatrixToeplitz", "classlarmor_1_1MatrixToeplitz.html#aaf8a070019a5397b5bc7f28999a31df0", null ],
    [ "name", "classlarmor_1_1MatrixToeplitz.html#a6a327544be75181a07619da9365b4c44", null ],
    [ "real", "classlarmor_1_1MatrixToeplitz.html#aaa8156b7ce9b3cd8e9b0c31ff13825bb", null ],
    [ "run", "classlarmor_1_1MatrixToeplitz.html#a5a0afdd0017d5b5c0043c88a00051474", null ],
    [ "scratch_bytes", "classlarmor_1_1MatrixToeplitz.html#adaae191c69a795ece6d7a6db0635151e", null ],
    [ "table_bytes", "classlarmor_1_1MatrixToeplitz.html#a64d9b4873203a520ff5387a1347fcaf5", null ]
];