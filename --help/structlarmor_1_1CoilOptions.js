var structlarmor_1_1CoilOptions =
[
    [ "calibration", "structlarmor_1_1CoilOptions.html#a54e6228524b7d8a4988be90497f3dfb0", null ],
    [ "calibration_readouts", "structlarmor_1_1CoilOptions.html#a3580063a505923678c88cc08f8d62e53", null ],
    [ "combine", "structlarmor_1_1CoilOptions.html#a5b71d10390160c66060199d940ac2040", null ],
    [ "geometric_compression", "structlarmor_1_1CoilOptions.html#a0afabb92f8d839a23253d61e12e505be", null ],
    [ "maps", "structlarmor_1_1CoilOptions.html#aba9b11defa5da5d974c59b5522c3fc6d", null ],
    [ "sets", "structlarmor_1_1CoilOptions.html#aeba9e3b6f96a46ebd732f2706e61f8a4", null ]
];