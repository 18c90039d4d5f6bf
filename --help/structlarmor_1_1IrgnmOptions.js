var structlarmor_1_1IrgnmOptions =
[
    [ "alpha", "structlarmor_1_1IrgnmOptions.html#a2be8fcc8c195c2846ddb35350d7f9d5b", null ],
    [ "alpha_min", "structlarmor_1_1IrgnmOptions.html#ac491242a31bde7be1717367240397e7b", null ],
    [ "hooks", "structlarmor_1_1IrgnmOptions.html#ac9e904dde0129e5b48fde8373836729f", null ],
    [ "inner_iterations", "structlarmor_1_1IrgnmOptions.html#a9bec6091968dd27f4bc30b162ead3bf1", null ],
    [ "inner_tolerance", "structlarmor_1_1IrgnmOptions.html#ae4c9c8627ceef636b0062fae1bb95885", null ],
    [ "iterations", "structlarmor_1_1IrgnmOptions.html#a82f9a8f26c71724b40aec4e90caec4d8", null ],
    [ "reduction", "structlarmor_1_1IrgnmOptions.html#ab360e863471ed0894c5854cc66deb115", null ],
    [ "residual", "structlarmor_1_1IrgnmOptions.html#a51ae02ef755ce802dedd46f1cefbe388", null ]
];