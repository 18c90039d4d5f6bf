var classlarmor_1_1WaveletNorm =
[
    [ "WaveletNorm", "classlarmor_1_1WaveletNorm.html#ac7ed1c6e4124bd502c9dc41d5bd42415", null ],
    [ "apply", "classlarmor_1_1WaveletNorm.html#a70ad605a156954d72447ff59669cfa04", null ],
    [ "name", "classlarmor_1_1WaveletNorm.html#a622af311073c101d7ebd07d4b82bda0f", null ],
    [ "scratch_bytes", "classlarmor_1_1WaveletNorm.html#a16a11387de9068d340ac9b93298f721d", null ],
    [ "transform", "classlarmor_1_1WaveletNorm.html#a3aacaf648771446fbd2f2e3d41eea106", null ],
    [ "value", "classlarmor_1_1WaveletNorm.html#ab68cc2ba912f10245d042cb5925dd487", null ]
];