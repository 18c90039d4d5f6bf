var structlarmor_1_1TransformOptions =
[
    [ "toeplitz", "structlarmor_1_1TransformOptions.html#aaf6084f81ff1bbf0a19b52f396129518", null ],
    [ "tolerance", "structlarmor_1_1TransformOptions.html#a529ed988787c1177396d74b7fa40d3b7", null ],
    [ "tune", "structlarmor_1_1TransformOptions.html#a6d7748bd49c2d8ba6ca9e3d6f534acd4", null ]
];