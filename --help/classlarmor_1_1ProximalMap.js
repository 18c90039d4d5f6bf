var classlarmor_1_1ProximalMap =
[
    [ "apply", "classlarmor_1_1ProximalMap.html#a5c9a0bf66160732d61d793460e20bf8f", null ],
    [ "name", "classlarmor_1_1ProximalMap.html#af821eddc46a3198d91255e98ae421fe7", null ],
    [ "scratch_bytes", "classlarmor_1_1ProximalMap.html#af1e0e85f38167b0d29d2d3ad40e43b62", null ],
    [ "value", "classlarmor_1_1ProximalMap.html#a39feee886d50191a8335a60773cd401c", null ]
];