var structlarmor_1_1TuneOptions =
[
    [ "bytes", "structlarmor_1_1TuneOptions.html#a8a846c53033e391e9a4859e6206cdb7d", null ],
    [ "goal", "structlarmor_1_1TuneOptions.html#a180497be29080c4c58e29904a664e0d9", null ],
    [ "level", "structlarmor_1_1TuneOptions.html#ab158e9c4668f29145dd808e322ad7173", null ],
    [ "method", "structlarmor_1_1TuneOptions.html#adad489b0e95e0beac68bd28e3d1f1554", null ],
    [ "oversampling", "structlarmor_1_1TuneOptions.html#ada1883d4f87a549b5ba6ff832f277b35", null ],
    [ "seconds", "structlarmor_1_1TuneOptions.html#ad2a7e92ae6bd12bd5f1a25da1b368c74", null ],
    [ "wisdom", "structlarmor_1_1TuneOptions.html#acb940e3c16bd06bc086f9563010f32fb", null ]
];