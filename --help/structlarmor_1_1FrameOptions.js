var structlarmor_1_1FrameOptions =
[
    [ "basis", "structlarmor_1_1FrameOptions.html#ac682c87e0d2e89634f4f7e6bf6bff3e0", null ],
    [ "bins", "structlarmor_1_1FrameOptions.html#a81a779dc1b825106fddb58eda3b888ca", null ],
    [ "window", "structlarmor_1_1FrameOptions.html#a5cbd326fb97fa0c81dddfea077ec92f7", null ]
];