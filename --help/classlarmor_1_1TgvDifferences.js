var classlarmor_1_1TgvDifferences =
[
    [ "TgvDifferences", "classlarmor_1_1TgvDifferences.html#a8ccfe3c4f19b16e7ba36f035b6e22641", null ],
    [ "name", "classlarmor_1_1TgvDifferences.html#a57fb86054f84229fa7219702d0a9b9b2", null ],
    [ "norm_squared_bound", "classlarmor_1_1TgvDifferences.html#a77ff441c0da20c525a6d35cd0653867e", null ],
    [ "run", "classlarmor_1_1TgvDifferences.html#aaa11c44c63cd21ce3414388980418cec", null ],
    [ "scratch_bytes", "classlarmor_1_1TgvDifferences.html#a1b3d6d59e8da089af0116343f843e68a", null ]
];