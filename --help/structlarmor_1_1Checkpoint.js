var structlarmor_1_1Checkpoint =
[
    [ "iteration", "structlarmor_1_1Checkpoint.html#a14ec06c416499d7149c52b25cf436b30", null ],
    [ "scalars", "structlarmor_1_1Checkpoint.html#a7c403f3773ae6b5a6861be198ff241d6", null ],
    [ "solver", "structlarmor_1_1Checkpoint.html#acfad8ff33cdd6d1a214776e7c5f24d09", null ],
    [ "vectors", "structlarmor_1_1Checkpoint.html#a1f7b83aef93495ecdcd314fa2d003dfe", null ]
];