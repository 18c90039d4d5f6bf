var structlarmor_1_1QualityMaps =
[
    [ "deviation", "structlarmor_1_1QualityMaps.html#a59e8e201a9407a9b1cdeaa6e8b0bf87e", null ],
    [ "g_factor", "structlarmor_1_1QualityMaps.html#a635135953eb4380ecd01d48ff00fe155", null ],
    [ "signal_to_noise", "structlarmor_1_1QualityMaps.html#a7937d3340cfc3687a5c940a12a1759b9", null ]
];