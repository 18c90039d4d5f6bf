var structlarmor_1_1FieldArrays =
[
    [ "view", "structlarmor_1_1FieldArrays.html#a9b3c7ab36305c10b7f89274801746f0c", null ],
    [ "decay", "structlarmor_1_1FieldArrays.html#a2dbc53a97ba282587488fe3f7872f9cd", null ],
    [ "frequency", "structlarmor_1_1FieldArrays.html#a7974e2b698733664de5560a171f43d2d", null ],
    [ "weight", "structlarmor_1_1FieldArrays.html#ad5181e4c5eac8a1426e2f903b63750d4", null ]
];