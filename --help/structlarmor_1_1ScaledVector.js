var structlarmor_1_1ScaledVector =
[
    [ "factor", "structlarmor_1_1ScaledVector.html#acdb69b84aabd3ac8e6b71d68563dbaf2", null ],
    [ "x", "structlarmor_1_1ScaledVector.html#a9a84a0db7de2c206f672a9d79ca15e90", null ]
];