var structlarmor_1_1SolverRow =
[
    [ "solve", "structlarmor_1_1SolverRow.html#ad14c1658f6204bdaaf5701d64e994989", null ],
    [ "help", "structlarmor_1_1SolverRow.html#a131e5e70f07e4d7fd2bf2d6ed30cbbfd", null ],
    [ "name", "structlarmor_1_1SolverRow.html#a71197bd938f10cee540f267dd94835d1", null ],
    [ "needs_samples", "structlarmor_1_1SolverRow.html#adf02fc91fe38f70d359ae2ef7b962404", null ],
    [ "solve_double", "structlarmor_1_1SolverRow.html#a4f66513791242556208c65728c5c701d", null ],
    [ "solve_float", "structlarmor_1_1SolverRow.html#a461befc8fae9860a8e0443614e4c7e79", null ],
    [ "solver", "structlarmor_1_1SolverRow.html#a62de643692c4a4518a76b8044ca0cf86", null ],
    [ "takes", "structlarmor_1_1SolverRow.html#a5f06a8b588fe071884abca4277753097", null ]
];