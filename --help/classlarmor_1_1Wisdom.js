var classlarmor_1_1Wisdom =
[
    [ "find", "classlarmor_1_1Wisdom.html#a1238819a0dcc11771abe51b9865b1d38", null ],
    [ "store", "classlarmor_1_1Wisdom.html#a25c439286f7a0c611e591140890de556", null ]
];