var structlarmor_1_1ReadingOptions =
[
    [ "apply_fov_shift", "structlarmor_1_1ReadingOptions.html#aaff87a542a82e4f25fea48ff2bae7732", null ],
    [ "columns", "structlarmor_1_1ReadingOptions.html#a175cdc3b3a8ea53e536f1e5e55648851", null ],
    [ "conjugate", "structlarmor_1_1ReadingOptions.html#a6325917ded083eefab3bb099e47bdf5b", null ],
    [ "delay", "structlarmor_1_1ReadingOptions.html#a0063c899bc58002967128eaa4aa09373", null ],
    [ "generate", "structlarmor_1_1ReadingOptions.html#a9d2a843cce69e2482c78d312797cd949", null ],
    [ "gradient_response", "structlarmor_1_1ReadingOptions.html#a4dc9a939e95c54ffe5007db4ab1aac80", null ],
    [ "sample_times", "structlarmor_1_1ReadingOptions.html#ab8c388cd6981a276a0d356475f3187a4", null ],
    [ "trajectory", "structlarmor_1_1ReadingOptions.html#af04170179f65049679063fffd54035b8", null ],
    [ "weights", "structlarmor_1_1ReadingOptions.html#aeeffcf62c2ae866acfc71aa1ebfb3ae6", null ]
];