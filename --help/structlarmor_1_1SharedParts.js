var structlarmor_1_1SharedParts =
[
    [ "begin", "structlarmor_1_1SharedParts.html#a0ebc4ff055a9b055bc12b961b75b8b69", null ],
    [ "maps", "structlarmor_1_1SharedParts.html#a09b261b10aea0095b75b19f09c787d9b", null ],
    [ "normal", "structlarmor_1_1SharedParts.html#a638b588159abff6a3e0de68d01a6760a", null ],
    [ "normal_key", "structlarmor_1_1SharedParts.html#a4c8077c1ead60fc5f74f8233594f1a3a", null ],
    [ "trajectory", "structlarmor_1_1SharedParts.html#a99adc4930ebb0c0c6854ea5bc3b347c8", null ],
    [ "transforms", "structlarmor_1_1SharedParts.html#a6aac48b9babbbd9846483c3c7189812a", null ],
    [ "tuned", "structlarmor_1_1SharedParts.html#a5ed2ca1e61ab4e61a964771822217d23", null ],
    [ "weights", "structlarmor_1_1SharedParts.html#a5cb1b9b00fa7d8ca3207d202f75ec7e0", null ]
];