var structlarmor_1_1SolverHooks =
[
    [ "checkpoint", "structlarmor_1_1SolverHooks.html#a10bc6f561610fc885059f244077cdab9", null ],
    [ "checkpoint_every", "structlarmor_1_1SolverHooks.html#a4de0a5cc4bc26187892cc30a567bfe5d", null ],
    [ "resume", "structlarmor_1_1SolverHooks.html#acfa380467da543a8a598e92acc33b2b3", null ],
    [ "step", "structlarmor_1_1SolverHooks.html#a3a35c05f898aecdeb3afeeb93e818b51", null ]
];