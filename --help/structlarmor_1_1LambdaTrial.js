var structlarmor_1_1LambdaTrial =
[
    [ "freedom", "structlarmor_1_1LambdaTrial.html#ac661acd86f903a620fcc69cb2537210f", null ],
    [ "lambda", "structlarmor_1_1LambdaTrial.html#aa57917806bcb11bbb8b757e190497a6d", null ],
    [ "residual", "structlarmor_1_1LambdaTrial.html#aba4f3aac252a1ba89423679a66b82c7b", null ],
    [ "risk", "structlarmor_1_1LambdaTrial.html#ad1a3dc91ad4ac85d4188b8b6a6bfb8f4", null ]
];