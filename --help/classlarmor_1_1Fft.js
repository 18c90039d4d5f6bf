var classlarmor_1_1Fft =
[
    [ "Fft", "classlarmor_1_1Fft.html#a28b2384122147a4ed056c4d7175cb61c", null ],
    [ "do_normal", "classlarmor_1_1Fft.html#ab783a29bb5f6c56267d7670e0bcf84dc", null ],
    [ "name", "classlarmor_1_1Fft.html#ae298d7195199a4943ec9bb2c4ec3ed29", null ],
    [ "run", "classlarmor_1_1Fft.html#a60e3f471a52296cce2b06c5ffd055ee2", null ],
    [ "scratch_bytes", "classlarmor_1_1Fft.html#a24b49309e3fa6c06c192264ce71b17ed", null ]
];