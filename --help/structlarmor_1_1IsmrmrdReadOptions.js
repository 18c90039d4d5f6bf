var structlarmor_1_1IsmrmrdReadOptions =
[
    [ "cancel", "structlarmor_1_1IsmrmrdReadOptions.html#a0020ebf291fee8a013802b16a664869f", null ],
    [ "external_trajectory", "structlarmor_1_1IsmrmrdReadOptions.html#ac8edbbabb28a8ab9dcdd21822a42c944", null ],
    [ "group", "structlarmor_1_1IsmrmrdReadOptions.html#a2339c6c8e940a0e5be385bf4c7c2cd02", null ],
    [ "helper", "structlarmor_1_1IsmrmrdReadOptions.html#ade554aae8e4b955167d36185f4c75d48", null ],
    [ "isolated", "structlarmor_1_1IsmrmrdReadOptions.html#a34e4e3700dcb4a1a94b288d8ecf2fe03", null ],
    [ "memory_limit", "structlarmor_1_1IsmrmrdReadOptions.html#a8b14539ce7d5e9039600839f4ff618f6", null ],
    [ "threads", "structlarmor_1_1IsmrmrdReadOptions.html#a9bb33b1a3a53197e2ac26c405c47d5c6", null ]
];