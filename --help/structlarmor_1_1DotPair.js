var structlarmor_1_1DotPair =
[
    [ "x", "structlarmor_1_1DotPair.html#a7ad214c88e22e95a16d09335f0c1aea0", null ],
    [ "y", "structlarmor_1_1DotPair.html#a85addbacb0195eedcbb2f0b32ecf7b7b", null ]
];