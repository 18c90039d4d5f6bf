var structlarmor_1_1SeriesSummary =
[
    [ "coefficients", "structlarmor_1_1SeriesSummary.html#a0155062f234bbfd1dab33beeb1ed9933", null ],
    [ "frames", "structlarmor_1_1SeriesSummary.html#a65d373468f742e79c38ecca9cdaa60d3", null ],
    [ "segment_error", "structlarmor_1_1SeriesSummary.html#a9049ce5a166585855829cb2c031417c0", null ],
    [ "segments", "structlarmor_1_1SeriesSummary.html#a277dba3868af868ba70ffc001c1fac17", null ],
    [ "unused", "structlarmor_1_1SeriesSummary.html#a1a6810d4a1f21f064dcb71d3bde9bfe9", null ]
];