var structlarmor_1_1Trajectory =
[
    [ "dwell_us", "structlarmor_1_1Trajectory.html#ad0ae281ce538b8e0996b6d292fd2d2ec", null ],
    [ "k", "structlarmor_1_1Trajectory.html#a8d3bdb0b4836a78127f93a78a0e4ac10", null ],
    [ "readouts", "structlarmor_1_1Trajectory.html#aa7d7177412474d7ca475e43b303102c7", null ],
    [ "samples_per_readout", "structlarmor_1_1Trajectory.html#a8bcdc4ad813b92db08d5b1dcf7b119b2", null ]
];