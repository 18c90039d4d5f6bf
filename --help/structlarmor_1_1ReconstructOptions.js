var structlarmor_1_1ReconstructOptions =
[
    [ "coils", "structlarmor_1_1ReconstructOptions.html#a07d1827d69dddc8749e90ff5c9369cb9", null ],
    [ "density", "structlarmor_1_1ReconstructOptions.html#a207315e2d8428640c8e24c5763a480c3", null ],
    [ "field", "structlarmor_1_1ReconstructOptions.html#aac3fd3243d25c87b73b852df8f361353", null ],
    [ "frames", "structlarmor_1_1ReconstructOptions.html#aa22e6f9910db872a10fc687f8bb48050", null ],
    [ "output", "structlarmor_1_1ReconstructOptions.html#a583e9454f94253760c63facaf7b5716e", null ],
    [ "prepare", "structlarmor_1_1ReconstructOptions.html#acd74b99a924bbf95fa49db2cf29c1018", null ],
    [ "ranks", "structlarmor_1_1ReconstructOptions.html#a506b0e102f729b55fcfc199db7ab596c", null ],
    [ "solve", "structlarmor_1_1ReconstructOptions.html#a2a2b5788cb7c9620bc9d9c6469054a40", null ],
    [ "transform", "structlarmor_1_1ReconstructOptions.html#ad9cdbc66b297c116ba0151d949267f3d", null ]
];