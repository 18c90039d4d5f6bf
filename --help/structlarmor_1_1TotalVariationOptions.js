var structlarmor_1_1TotalVariationOptions =
[
    [ "anisotropic", "structlarmor_1_1TotalVariationOptions.html#a6b3283d3628cad8781d8431bd8ef99f0", null ],
    [ "joint", "structlarmor_1_1TotalVariationOptions.html#a871e746e7aa4fd00b161bed6ec81feb9", null ],
    [ "lambda", "structlarmor_1_1TotalVariationOptions.html#ae1211241fd5a7ec93dacc35731794ec0", null ]
];