var structlarmor_1_1SeriesReport =
[
    [ "centre_hz", "structlarmor_1_1SeriesReport.html#a015261c872e7af1cf2477593de18ae66", null ],
    [ "segment_error", "structlarmor_1_1SeriesReport.html#aec230b8bfa2ecdd281baf86a8e1df990", null ],
    [ "segments", "structlarmor_1_1SeriesReport.html#a0165d2559f9906601838e889c93671c9", null ],
    [ "slices_decoupled", "structlarmor_1_1SeriesReport.html#a38b3ca1b9e78daad4195991fb8048095", null ]
];