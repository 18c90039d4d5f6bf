var classlarmor_1_1Pad =
[
    [ "Pad", "classlarmor_1_1Pad.html#a50487fd430ddb14c5c673cc8b2760321", null ],
    [ "do_normal", "classlarmor_1_1Pad.html#a30861aea649c94a9e38b60d870d277fb", null ],
    [ "name", "classlarmor_1_1Pad.html#a3c0404f6b16a22bcaaf560cc0ef1f0d6", null ],
    [ "run", "classlarmor_1_1Pad.html#ae2320e4926d23999fc7935b998d9540d", null ],
    [ "scratch_bytes", "classlarmor_1_1Pad.html#a2fac77e3fc2a25fdf4e0643a0223c25a", null ]
];