var structlarmor_1_1WaveletL1Options =
[
    [ "joint", "structlarmor_1_1WaveletL1Options.html#afee988c0160a863991380147a8bcf636", null ],
    [ "lambda", "structlarmor_1_1WaveletL1Options.html#ac76c7da473a52b61ad188e6edb74fca3", null ],
    [ "levels", "structlarmor_1_1WaveletL1Options.html#acfca5398d803f621e4bcb24e3212cf07", null ],
    [ "shifts", "structlarmor_1_1WaveletL1Options.html#a5388068b4f6155730181bed42ad58748", null ],
    [ "vanishing_moments", "structlarmor_1_1WaveletL1Options.html#a879e74c802a2797f0013ab23dca419d5", null ]
];