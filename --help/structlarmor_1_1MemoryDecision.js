var structlarmor_1_1MemoryDecision =
[
    [ "placement", "structlarmor_1_1MemoryDecision.html#a8df52199dcecbf16d614faa89b85b9be", null ],
    [ "coil_block", "structlarmor_1_1MemoryDecision.html#a1e21d32a28da9639b5b610e75decbd41", null ],
    [ "krylov_vectors", "structlarmor_1_1MemoryDecision.html#a3e35f3d26c6973f0857470dc1c344fe3", null ],
    [ "normal", "structlarmor_1_1MemoryDecision.html#af90a04d940ef51e056230890095109b7", null ],
    [ "nufft_tolerance", "structlarmor_1_1MemoryDecision.html#abd00370882f5d40f3f4b3418e1f64217", null ],
    [ "plan", "structlarmor_1_1MemoryDecision.html#a02db4b9495a8fb2a2575db4d54298c92", null ],
    [ "process", "structlarmor_1_1MemoryDecision.html#aaf0e4ac3959167ef952e0f0fe18241b1", null ],
    [ "scan", "structlarmor_1_1MemoryDecision.html#a471ebd9fb1f28bc9a867cf3df12f69da", null ],
    [ "small_grid", "structlarmor_1_1MemoryDecision.html#a681ce5db3ecfacaca7c515c55cd0e85e", null ]
];