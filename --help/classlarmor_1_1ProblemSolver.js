var classlarmor_1_1ProblemSolver =
[
    [ "Data", "structlarmor_1_1ProblemSolver_1_1Data.html", "structlarmor_1_1ProblemSolver_1_1Data" ],
    [ "C", "classlarmor_1_1ProblemSolver.html#aa5c3d44602b70bac226372addb295f09", null ],
    [ "ProblemSolver", "classlarmor_1_1ProblemSolver.html#a48fc5b1c44c48612762e635bcafc813a", null ],
    [ "adopt_lambda", "classlarmor_1_1ProblemSolver.html#a2720a44918c0bee2060325a6b7cee55a", null ],
    [ "data_of", "classlarmor_1_1ProblemSolver.html#a8afa608f4f56cbe9896c9221d9e29cc6", null ],
    [ "forget_norm", "classlarmor_1_1ProblemSolver.html#a4a576df6fdc8719ccf02e77f49f8b04d", null ],
    [ "know_norm", "classlarmor_1_1ProblemSolver.html#aa2f8bfa878bef6905661475841ea8e32", null ],
    [ "lambda_choice", "classlarmor_1_1ProblemSolver.html#a9b399c06fead264bf7099b69a13ab281", null ],
    [ "lambda_found", "classlarmor_1_1ProblemSolver.html#a681097670d386ef8845ed690b1fb81dd", null ],
    [ "needs_data", "classlarmor_1_1ProblemSolver.html#a1a031f6d2823d08cc0f9bcbbec3949d0", null ],
    [ "needs_samples", "classlarmor_1_1ProblemSolver.html#ad52a674ba66a22667aee1bd933e6c313", null ],
    [ "needs_scale", "classlarmor_1_1ProblemSolver.html#a03ed30c317baa3b71b14a12725d806c8", null ],
    [ "select", "classlarmor_1_1ProblemSolver.html#ae1f2e0ce6ff27c4aa369adfd4d3c9155", null ],
    [ "shape", "classlarmor_1_1ProblemSolver.html#a5fea1c97be18356e91852cc641f834f7", null ],
    [ "solve", "classlarmor_1_1ProblemSolver.html#ad24e4a5d6d71527ed4baeeb1a38eb593", null ],
    [ "solver", "classlarmor_1_1ProblemSolver.html#a2686d19d2f2b383fd50c5352d4cba7c3", null ],
    [ "terms", "classlarmor_1_1ProblemSolver.html#a3dcea218448908a534e4ae834ee2a0f7", null ]
];