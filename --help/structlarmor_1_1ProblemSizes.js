var structlarmor_1_1ProblemSizes =
[
    [ "complex_basis", "structlarmor_1_1ProblemSizes.html#aef534bce2419bdad7c357afb3d79b4af", null ],
    [ "copies", "structlarmor_1_1ProblemSizes.html#ad669628c8af0524491ec3a67e4360862", null ],
    [ "frame_samples", "structlarmor_1_1ProblemSizes.html#ae318e3eb2775b26cf4b773debbe0f77a", null ],
    [ "frames", "structlarmor_1_1ProblemSizes.html#adba577658244680941cd343b384cfa42", null ],
    [ "images", "structlarmor_1_1ProblemSizes.html#a2f1c40ddd4764d7ac2fa27d7bebef3ae", null ],
    [ "images_of_one", "structlarmor_1_1ProblemSizes.html#ad3d9fb8ce67d5aeeff6bd92a4f66ea5c", null ],
    [ "mixes", "structlarmor_1_1ProblemSizes.html#af92c1cc5717f8342174ac753c84515a2", null ],
    [ "problems", "structlarmor_1_1ProblemSizes.html#a6e5e6ad0ad459fcf50c217f0fc497791", null ],
    [ "samples", "structlarmor_1_1ProblemSizes.html#ab37b25a7e64dae4ff4a6fe7912fa633f", null ],
    [ "terms", "structlarmor_1_1ProblemSizes.html#ae5241d5d48e0fa805122d0801698c735", null ],
    [ "transforms", "structlarmor_1_1ProblemSizes.html#a7db6afa52c929aab68d0a9f8c2b88bcc", null ],
    [ "unknown", "structlarmor_1_1ProblemSizes.html#afd2ec748be6eec1e99ad855bf77beb8d", null ]
];