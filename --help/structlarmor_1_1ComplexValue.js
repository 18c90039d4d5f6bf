var structlarmor_1_1ComplexValue =
[
    [ "operator*", "structlarmor_1_1ComplexValue.html#a9a2a5bc3f0d0687e298ca4bc865548e3", null ],
    [ "operator+", "structlarmor_1_1ComplexValue.html#a6c0c98503504dac2bec703007c663dea", null ],
    [ "operator-", "structlarmor_1_1ComplexValue.html#ab3fc712b446f3c44797cfd2d8e7cca2d", null ],
    [ "im", "structlarmor_1_1ComplexValue.html#aee67577b12cc710184ac0ccbb02fbe10", null ],
    [ "re", "structlarmor_1_1ComplexValue.html#a2e9c5cf8621ea1df4e207e3dfab4dfa2", null ]
];