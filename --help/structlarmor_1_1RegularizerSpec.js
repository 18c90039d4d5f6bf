var structlarmor_1_1RegularizerSpec =
[
    [ "automatic", "structlarmor_1_1RegularizerSpec.html#a855d7bc6e0b00f3d11e8b7fa4499f21a", null ],
    [ "discrepancy", "structlarmor_1_1RegularizerSpec.html#ae53a6b028ea8ffd27b1378422becc248", null ],
    [ "lambda", "structlarmor_1_1RegularizerSpec.html#aef99ecac3176e9ce45b90e4af9584520", null ],
    [ "name", "structlarmor_1_1RegularizerSpec.html#a0c909d1d5a1ede3f6d413862b4a9efe5", null ],
    [ "parameters", "structlarmor_1_1RegularizerSpec.html#a37b02669b9285f4ae9899c2bb6196216", null ]
];