var classlarmor_1_1Crop =
[
    [ "Crop", "classlarmor_1_1Crop.html#ac4cff1a2e6497f1f3c80ff1c854b28a3", null ],
    [ "name", "classlarmor_1_1Crop.html#af42b87edf109ca0329ff010bd9c7ade7", null ],
    [ "run", "classlarmor_1_1Crop.html#abdb7f2adcc64f0a68c60d64c8460b792", null ],
    [ "scratch_bytes", "classlarmor_1_1Crop.html#afbdf3f19be791e53f66e7eeb01e0a054", null ]
];