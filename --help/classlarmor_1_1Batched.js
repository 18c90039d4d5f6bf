var classlarmor_1_1Batched =
[
    [ "Batched", "classlarmor_1_1Batched.html#a665572bf4ce598eea527e4721e6a8ad5", null ],
    [ "do_normal", "classlarmor_1_1Batched.html#a53cab1e16b57a4d415fa47f61675031b", null ],
    [ "name", "classlarmor_1_1Batched.html#a73b8e8c5df3cba41c6e3dbeefd1058e2", null ],
    [ "run", "classlarmor_1_1Batched.html#a563a0b63e6e60a0edc90d804141079f6", null ]
];