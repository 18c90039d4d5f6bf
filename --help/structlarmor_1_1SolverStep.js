var structlarmor_1_1SolverStep =
[
    [ "constraint", "structlarmor_1_1SolverStep.html#a58364faa9d293f712c4ce48a7a7df8f7", null ],
    [ "gradient", "structlarmor_1_1SolverStep.html#a4b2d685c82b9921014c58cfdf8abc5f4", null ],
    [ "iteration", "structlarmor_1_1SolverStep.html#ad71566c29801ea1bcdfeff5a1217e407", null ],
    [ "objective", "structlarmor_1_1SolverStep.html#adf1da81ce9ed8517b36be21206dd226c", null ]
];