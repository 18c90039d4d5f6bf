var classlarmor_1_1OperatorOfParts =
[
    [ "OperatorOfParts", "classlarmor_1_1OperatorOfParts.html#a30e1b199904132f2e6eb4d9256cba68e", null ],
    [ "OperatorOfParts", "classlarmor_1_1OperatorOfParts.html#acd9d803232f7066a6caecb6999a67d9f", null ],
    [ "OperatorOfParts", "classlarmor_1_1OperatorOfParts.html#ac2c08574b3164a2e16c02868e5a96a43", null ],
    [ "children", "classlarmor_1_1OperatorOfParts.html#ad947f36bb1185f5b28a239839281c840", null ],
    [ "inner", "classlarmor_1_1OperatorOfParts.html#aadbe0fa5872de4c0ef5218df5b340237", null ],
    [ "normals", "classlarmor_1_1OperatorOfParts.html#abef93b21fcd0980c817da3a8afcc021e", null ],
    [ "scratch_bytes", "classlarmor_1_1OperatorOfParts.html#a2705767a8ba37a69bd70c0a8db216f25", null ],
    [ "table_bytes", "classlarmor_1_1OperatorOfParts.html#acdf21a070d4b54dc205e0bf33f56fee2", null ],
    [ "parts_", "classlarmor_1_1OperatorOfParts.html#aff6a5b2d3c4836e2d8527342c4e0485e", null ]
];