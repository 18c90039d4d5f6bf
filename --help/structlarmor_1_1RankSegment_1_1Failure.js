var structlarmor_1_1RankSegment_1_1Failure =
[
    [ "message", "structlarmor_1_1RankSegment_1_1Failure.html#a56ce01ef5e90f9afafb5e0a206b3078b", null ],
    [ "rank", "structlarmor_1_1RankSegment_1_1Failure.html#a73914c4445fc24e1023e8d2f52d0bd74", null ],
    [ "status", "structlarmor_1_1RankSegment_1_1Failure.html#a5765e7628911a2d57208d9b507811af2", null ]
];