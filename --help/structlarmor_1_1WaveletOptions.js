var structlarmor_1_1WaveletOptions =
[
    [ "levels", "structlarmor_1_1WaveletOptions.html#a3fdbc3cd8967e59f1a9f55c42801b30a", null ],
    [ "vanishing_moments", "structlarmor_1_1WaveletOptions.html#ac9d80e7777309957c04edab8e51d08d6", null ]
];