var structlarmor_1_1Frames =
[
    [ "count", "structlarmor_1_1Frames.html#a746906d4dcd9d39fc1bab6f204b63e2f", null ],
    [ "readouts", "structlarmor_1_1Frames.html#a8835b25046b0468d9683c01fcc70b314", null ],
    [ "shape", "structlarmor_1_1Frames.html#af86bca1b837a6be826998393420977fa", null ],
    [ "unused", "structlarmor_1_1Frames.html#aa93658d018fa4f2560e55889bec320cc", null ]
];