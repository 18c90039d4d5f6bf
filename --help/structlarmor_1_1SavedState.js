var structlarmor_1_1SavedState =
[
    [ "data_norm", "structlarmor_1_1SavedState.html#a7a98b12ea59e0dc755db1a660e9ad931", null ],
    [ "image", "structlarmor_1_1SavedState.html#a9e896b090ef6637952e0fab7f5cf857e", null ],
    [ "solver", "structlarmor_1_1SavedState.html#aa2c39920b2f667c4e07687ce85ea76ee", null ],
    [ "terms", "structlarmor_1_1SavedState.html#aeb18d26d71ae31184494836158518582", null ]
];