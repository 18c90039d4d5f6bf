var structlarmor_1_1ProblemSolver_1_1Data =
[
    [ "energy", "structlarmor_1_1ProblemSolver_1_1Data.html#a4365834a05006a1c14d05f764f48f386", null ],
    [ "model", "structlarmor_1_1ProblemSolver_1_1Data.html#a55b3e5b6247ae9e617e14e4885d3692a", null ],
    [ "noise_variance", "structlarmor_1_1ProblemSolver_1_1Data.html#a8ed0e2b6220dc7c83d25d07e5e4194e4", null ],
    [ "probe", "structlarmor_1_1ProblemSolver_1_1Data.html#aabd8e7537a9f7a7178f28f76fbe6ac6c", null ],
    [ "samples", "structlarmor_1_1ProblemSolver_1_1Data.html#a49f9fc70a91ab127a680b9c9155d61d4", null ],
    [ "y", "structlarmor_1_1ProblemSolver_1_1Data.html#adc6acc42f4ed407c8e6f0eaa32cd12cd", null ]
];