var structlarmor_1_1SolverOptions =
[
    [ "balance", "structlarmor_1_1SolverOptions.html#a445e8fe53b4fa3d86f21828f978a3e56", null ],
    [ "hooks", "structlarmor_1_1SolverOptions.html#afb99b84dd2783c4a5a8884906563d592", null ],
    [ "inner_iterations", "structlarmor_1_1SolverOptions.html#ad40b268188c79c97dd81e6b7d464264b", null ],
    [ "inner_tolerance", "structlarmor_1_1SolverOptions.html#ab8b42f627e66a2004cb75093b24057ac", null ],
    [ "iterations", "structlarmor_1_1SolverOptions.html#a2c9c1ac649de7a4a34708b0eb3de3809", null ],
    [ "normal", "structlarmor_1_1SolverOptions.html#abe78b9e2326d8718c32a69bf802c8da0", null ],
    [ "null_space", "structlarmor_1_1SolverOptions.html#a96f615079bf2ec2147df4208467ff9a8", null ],
    [ "objective", "structlarmor_1_1SolverOptions.html#ad15f0effabcfd00acb49e8103ca6f394", null ],
    [ "preconditioner", "structlarmor_1_1SolverOptions.html#a8f69fd5d853beb6ea725a6c00ad89fa7", null ],
    [ "rho", "structlarmor_1_1SolverOptions.html#ac9b2c26457547f606e6aa213ef3237a3", null ],
    [ "sample_preconditioner", "structlarmor_1_1SolverOptions.html#a130b1325c812a891a7c4939ab42cb848", null ],
    [ "start", "structlarmor_1_1SolverOptions.html#a074c7829351c5400711913789d6d3491", null ],
    [ "tolerance", "structlarmor_1_1SolverOptions.html#a83edf52bd36bbf432c3e17b00e38b894", null ]
];