var structlarmor_1_1RankOptions =
[
    [ "communicator", "structlarmor_1_1RankOptions.html#aaff742b8c29c9418c26624a2b1bb9992", null ],
    [ "split", "structlarmor_1_1RankOptions.html#aa76959fa89302db2654fee0e4f47ea0e", null ]
];