var structlarmor_1_1PipeMenonOptions =
[
    [ "field_of_view", "structlarmor_1_1PipeMenonOptions.html#abfd1d91c7ec9adb3f630e7983a0166b3", null ],
    [ "iterations", "structlarmor_1_1PipeMenonOptions.html#ac1bc2160e5349fa1b2b3e993ccb7e0d7", null ],
    [ "kernel_reach", "structlarmor_1_1PipeMenonOptions.html#a80210e59ec35eb256f05396c83d472b3", null ],
    [ "nufft_tolerance", "structlarmor_1_1PipeMenonOptions.html#a2e36246747847fa3997c299d78fddf89", null ]
];