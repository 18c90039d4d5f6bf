var structlarmor_1_1SpiralOptions =
[
    [ "dwell_us", "structlarmor_1_1SpiralOptions.html#a2de046ae1a2c03cb04a6e162c771caa1", null ],
    [ "edge_density", "structlarmor_1_1SpiralOptions.html#a6cacabd0febcb7fb652cec22e403fd13", null ],
    [ "fov_mm", "structlarmor_1_1SpiralOptions.html#a1d240227e3e28b6df2cb65e2a3c1caff", null ],
    [ "interleaves", "structlarmor_1_1SpiralOptions.html#afeb527a9396b5abc3243af4e7577cb37", null ],
    [ "matrix", "structlarmor_1_1SpiralOptions.html#a9501108a8a670ff91191929aaa6c5dcd", null ],
    [ "max_gradient_mt_per_m", "structlarmor_1_1SpiralOptions.html#a2f866b8591328d7273b2963166b6e02d", null ],
    [ "max_slew_t_per_m_per_s", "structlarmor_1_1SpiralOptions.html#ab6e80c745c94fe578140cb8b8032d906", null ]
];