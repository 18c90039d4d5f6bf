var classlarmor_1_1Nudft =
[
    [ "Nudft", "classlarmor_1_1Nudft.html#a4cabffc5e387606be416e383f83bff62", null ],
    [ "do_adjoint", "classlarmor_1_1Nudft.html#a6380e25e872d15d3b06e8e34eb0c1858", null ],
    [ "do_apply", "classlarmor_1_1Nudft.html#ad7705208b228bdf092638d4593acf0e2", null ],
    [ "name", "classlarmor_1_1Nudft.html#a764ca49b757b8e7a56190c2828a9c9ee", null ],
    [ "scratch_bytes", "classlarmor_1_1Nudft.html#a87a2e5d59244f20121ebf2dc10267430", null ],
    [ "table_bytes", "classlarmor_1_1Nudft.html#a8e402cc47943fb0e4d02b0396202b3ba", null ]
];