var structlarmor_1_1Share =
[
    [ "count", "structlarmor_1_1Share.html#a7d7264d5155aaa05aefed3524acd53ae", null ],
    [ "first", "structlarmor_1_1Share.html#a2aaa3c01eb2be73dfe6cac6a8554e6d6", null ]
];