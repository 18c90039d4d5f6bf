var structlarmor_1_1LowRankSparseOptions =
[
    [ "lambda", "structlarmor_1_1LowRankSparseOptions.html#a82574dca6bb77af4045e25f23f524424", null ],
    [ "sparse", "structlarmor_1_1LowRankSparseOptions.html#a9a3a18d98df7c503e6214c77a27f9181", null ],
    [ "transform", "structlarmor_1_1LowRankSparseOptions.html#a5ef40d02588330330408fd2248620f52", null ]
];