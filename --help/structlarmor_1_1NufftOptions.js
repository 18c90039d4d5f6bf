var structlarmor_1_1NufftOptions =
[
    [ "adjoint", "structlarmor_1_1NufftOptions.html#aa0f4948101a60c9fa7a1bdaf235b4b3a", null ],
    [ "batch", "structlarmor_1_1NufftOptions.html#aa460dbd25d6b367b48edd0a338bbfe59", null ],
    [ "forward", "structlarmor_1_1NufftOptions.html#a1a05a400a4180fba1880b52f1620fcc0", null ],
    [ "kernel", "structlarmor_1_1NufftOptions.html#a1ea369eed121418196d34996199c7b39", null ],
    [ "matrix_byte_limit", "structlarmor_1_1NufftOptions.html#a8acc00b41680ba491a9123b0cdbd4856", null ],
    [ "method", "structlarmor_1_1NufftOptions.html#a254edf004ea43d2bdb314bed529af400", null ],
    [ "oversampling", "structlarmor_1_1NufftOptions.html#ac5bb92d7b27c6af84c1690638bfab85a", null ],
    [ "real_samples", "structlarmor_1_1NufftOptions.html#a522ae5bd3f3ffb54145737de20c3e6fc", null ],
    [ "scaled", "structlarmor_1_1NufftOptions.html#a8cbf12eee3646b2c17975bc5875615bc", null ],
    [ "small_grid", "structlarmor_1_1NufftOptions.html#aef7aa6954aa4c8d3ca10b645dbf945e2", null ],
    [ "tolerance", "structlarmor_1_1NufftOptions.html#a3b27a57a3f7b0f426cf27ab61475f103", null ]
];