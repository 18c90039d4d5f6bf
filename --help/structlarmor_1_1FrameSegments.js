var structlarmor_1_1FrameSegments =
[
    [ "error", "structlarmor_1_1FrameSegments.html#a7cdf5d035cd79fc9c70968f40d1cd32a", null ],
    [ "segments", "structlarmor_1_1FrameSegments.html#a1c333092a04dabc4d54af5d02f1c25ad", null ]
];