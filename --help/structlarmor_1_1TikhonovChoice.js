var structlarmor_1_1TikhonovChoice =
[
    [ "best", "structlarmor_1_1TikhonovChoice.html#a3987d5d3bd1b8c3a63f4d0fb86d82493", null ],
    [ "converged", "structlarmor_1_1TikhonovChoice.html#ab8860ac19cc97c195eae0e845413a33d", null ],
    [ "curve", "structlarmor_1_1TikhonovChoice.html#abf517575331325c93dca4abf6a402162", null ],
    [ "largest_eigenvalue", "structlarmor_1_1TikhonovChoice.html#a8a1d2dc320467ca25602ec91c3a2868f", null ]
];