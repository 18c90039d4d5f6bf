var classlarmor_1_1Nufft =
[
    [ "Nufft", "classlarmor_1_1Nufft.html#a02744e8397fd4aeb9595389b2e69101a", null ],
    [ "Nufft", "classlarmor_1_1Nufft.html#ac9b99ac90a02ceba6badeff148be3764", null ],
    [ "do_normal", "classlarmor_1_1Nufft.html#a6e814716acb417482ec2d4399e60f867", null ],
    [ "kernel_width", "classlarmor_1_1Nufft.html#a43c7809844b7f078da231ed34acd461b", null ],
    [ "measured_error", "classlarmor_1_1Nufft.html#aa2a3e6f5a8d24873be160b9dc7bf7056", null ],
    [ "method", "classlarmor_1_1Nufft.html#a373db94cd83a093671cc3cb075f2f8b7", null ],
    [ "name", "classlarmor_1_1Nufft.html#ab79ddbed8a368f51822978a126fe643c", null ],
    [ "normal_through", "classlarmor_1_1Nufft.html#a6adacd20976b40f202239fb91dda8105", null ],
    [ "oversampling", "classlarmor_1_1Nufft.html#a5e2949958f6dd13e4587da7462d0e8e8", null ],
    [ "run", "classlarmor_1_1Nufft.html#a9bea73669dafc86b7de93c197ffb50fc", null ],
    [ "scratch_bytes", "classlarmor_1_1Nufft.html#a33ef942abd3f09b7bc71ba5b6ecb7dc6", null ],
    [ "table_bytes", "classlarmor_1_1Nufft.html#ac8acdbdcc5cb5125777d56cdfef8c99d", null ],
    [ "tolerance", "classlarmor_1_1Nufft.html#a0465f1e10e71f721dad18e6ae5056034", null ],
    [ "with_batch", "classlarmor_1_1Nufft.html#afd6d4d7ccbda7dbb56418cb72fee813a", null ]
];