var structlarmor_1_1SeriesProblem =
[
    [ "map_energy", "structlarmor_1_1SeriesProblem.html#a73369bb00fa3627eccd8a611c478a500", null ],
    [ "model", "structlarmor_1_1SeriesProblem.html#a6228b8aa673f914afd652205897f3394", null ],
    [ "ranks", "structlarmor_1_1SeriesProblem.html#ad0706b28a4c30a2ddcb87a2021a5c2c6", null ],
    [ "report", "structlarmor_1_1SeriesProblem.html#a7e94d5d26602a7c5e123c5daf25dd949", null ],
    [ "root_density", "structlarmor_1_1SeriesProblem.html#ac04e3699e32efa8db914237952f10a8b", null ],
    [ "samples", "structlarmor_1_1SeriesProblem.html#aa34e68333a3c25bf879db472622fd2a2", null ],
    [ "transforms", "structlarmor_1_1SeriesProblem.html#aafd12e82a22e91c54e3f0aef2ec91ee2", null ]
];