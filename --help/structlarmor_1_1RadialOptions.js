var structlarmor_1_1RadialOptions =
[
    [ "centre_out", "structlarmor_1_1RadialOptions.html#a37f568e1780863a10385a4cf3d29ca3b", null ],
    [ "order", "structlarmor_1_1RadialOptions.html#a5697fc18cd1526e924d7517380af6e5f", null ],
    [ "samples", "structlarmor_1_1RadialOptions.html#ad43c38902283417095dceb2c38261894", null ],
    [ "spokes", "structlarmor_1_1RadialOptions.html#a6f4ffc2dbad0b6dc4953b169a2650eba", null ],
    [ "tiny_golden_index", "structlarmor_1_1RadialOptions.html#a67f179382f09d2606775839978d7c4ff", null ]
];