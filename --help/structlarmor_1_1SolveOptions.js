var structlarmor_1_1SolveOptions =
[
    [ "automatic", "structlarmor_1_1SolveOptions.html#acac042d5eb73d223ff8cfd9accbf70d3", null ],
    [ "checkpoint", "structlarmor_1_1SolveOptions.html#a87e555a61135e37f74a6bb34a1a6acaf", null ],
    [ "checkpoint_every", "structlarmor_1_1SolveOptions.html#a869a5d84bc79eb6952e05889bb27572a", null ],
    [ "gridding", "structlarmor_1_1SolveOptions.html#ae2cbee7e024fc379112164004e1b5b75", null ],
    [ "iterations", "structlarmor_1_1SolveOptions.html#a18435f6b4cf9f15a502bd8a774a0b8ac", null ],
    [ "precision", "structlarmor_1_1SolveOptions.html#a51f4615ad2f9f6200ad74d646bb3fa96", null ],
    [ "priors", "structlarmor_1_1SolveOptions.html#aa75b20437148061e328ca14bd345c1cc", null ],
    [ "regularizers", "structlarmor_1_1SolveOptions.html#a8c5fbccf29d1bc547f3c1c005145b095", null ],
    [ "resume", "structlarmor_1_1SolveOptions.html#a826690a011f0f5a201bb7e9db5650d2f", null ],
    [ "solver", "structlarmor_1_1SolveOptions.html#accf008ebffdc78d10f7a38cc6f8378aa", null ],
    [ "tolerance", "structlarmor_1_1SolveOptions.html#a93b135a2a8bbf4eefd0dec4877d402c7", null ]
];