var structlarmor_1_1SegmentOptions =
[
    [ "accuracy", "structlarmor_1_1SegmentOptions.html#ad37fcf752636b704005fe282428fa30c", null ],
    [ "segments", "structlarmor_1_1SegmentOptions.html#a78d80453fe33032c540ffc861bc2ad33", null ]
];