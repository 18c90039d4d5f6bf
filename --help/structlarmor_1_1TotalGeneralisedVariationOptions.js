var structlarmor_1_1TotalGeneralisedVariationOptions =
[
    [ "first", "structlarmor_1_1TotalGeneralisedVariationOptions.html#aba1d9e24ca334eb3bb092de032a991a8", null ],
    [ "joint", "structlarmor_1_1TotalGeneralisedVariationOptions.html#ae471c1198aa7f99e326a2820a85486e3", null ],
    [ "lambda", "structlarmor_1_1TotalGeneralisedVariationOptions.html#a6efd0d7539a00fec6752370c2e4b1750", null ],
    [ "second", "structlarmor_1_1TotalGeneralisedVariationOptions.html#a92671896e5362206b8b89110695b5085", null ]
];