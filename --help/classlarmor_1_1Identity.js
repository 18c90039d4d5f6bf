var classlarmor_1_1Identity =
[
    [ "Identity", "classlarmor_1_1Identity.html#a2d8f663e62abfd0460c3cce604bd7773", null ],
    [ "do_normal", "classlarmor_1_1Identity.html#ac227f7eae680437093a17283a7da41e7", null ],
    [ "name", "classlarmor_1_1Identity.html#a8c26d924c24c78bc3871640d59b71eec", null ],
    [ "run", "classlarmor_1_1Identity.html#ac4b10b74d2451493e5ebdb200ae6e001", null ],
    [ "scratch_bytes", "classlarmor_1_1Identity.html#a632627e881d24a65679a72422f961e66", null ]
];