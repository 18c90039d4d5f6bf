var structlarmor_1_1SegmentError =
[
    [ "max", "structlarmor_1_1SegmentError.html#a60121a3c2abca67b3f0d134a6c63d715", null ],
    [ "rms", "structlarmor_1_1SegmentError.html#a3272cd834e11afa8d4f4f0f89da24129", null ]
];