var structlarmor_1_1Problem =
[
    [ "model", "structlarmor_1_1Problem.html#a1f8d0ec8cf1aa8deeef4d05b551d2a6e", null ],
    [ "norm_squared", "structlarmor_1_1Problem.html#a4dca33af84aa841cb485018c121b6339", null ],
    [ "normal", "structlarmor_1_1Problem.html#a9b12126fa001b395affa881e16f0a6b8", null ],
    [ "regularizers", "structlarmor_1_1Problem.html#a8161141e97c9acd7c8b6b5d5b7387055", null ],
    [ "rhs", "structlarmor_1_1Problem.html#a7b117003079d4f18ee8dce94a7f774e6", null ],
    [ "samples", "structlarmor_1_1Problem.html#afcf01964cd70e66a054a08237c132b82", null ],
    [ "scale", "structlarmor_1_1Problem.html#af50ac9ec7b97bbf776ba4470ddfbfb70", null ]
];