var classlarmor_1_1SymmetrizedGradient =
[
    [ "SymmetrizedGradient", "classlarmor_1_1SymmetrizedGradient.html#a5e58a68fd99979e4bb72dca26bddad61", null ],
    [ "name", "classlarmor_1_1SymmetrizedGradient.html#a10a7922b6c9a7443cbb1f992085c7269", null ],
    [ "run", "classlarmor_1_1SymmetrizedGradient.html#ae04bfd282925a20215b50924361370a2", null ],
    [ "scratch_bytes", "classlarmor_1_1SymmetrizedGradient.html#aa6bb0d41bbd74089140af21415c645da", null ]
];