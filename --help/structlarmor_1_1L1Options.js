var structlarmor_1_1L1Options =
[
    [ "joint", "structlarmor_1_1L1Options.html#ad1e6732dcc931d5896e9c9c95e86c5f5", null ],
    [ "lambda", "structlarmor_1_1L1Options.html#a3437d6f75f96c034f4abc69cfddbf47f", null ]
];