var structlarmor_1_1SolverResult =
[
    [ "history", "structlarmor_1_1SolverResult.html#ad4f29daa769002b2a618649ef2fdf75e", null ],
    [ "normal_applies", "structlarmor_1_1SolverResult.html#a74242f04942050199601f7b737e079c6", null ],
    [ "operator_norm_squared", "structlarmor_1_1SolverResult.html#a2274433ba35dcd61e34057a9d13301bc", null ],
    [ "scale", "structlarmor_1_1SolverResult.html#a63369703320bd4ef6fc616204f5268a9", null ],
    [ "step_size", "structlarmor_1_1SolverResult.html#aa2c0471c7b0562c2ab5afe5aa2fa9c1a", null ],
    [ "stop_reason", "structlarmor_1_1SolverResult.html#aadfd8d3c55c773ffc9af13677fb0d476", null ],
    [ "x", "structlarmor_1_1SolverResult.html#a6b6bb73e9aa3890a6501d8f502761262", null ]
];