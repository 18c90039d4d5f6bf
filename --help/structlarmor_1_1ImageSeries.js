var structlarmor_1_1ImageSeries =
[
    [ "images", "structlarmor_1_1ImageSeries.html#ab2188173b04d792c696f161a7481bffd", null ],
    [ "ismrmrd_header", "structlarmor_1_1ImageSeries.html#af9f2d9189ca540aad574f54745697450", null ],
    [ "kind", "structlarmor_1_1ImageSeries.html#ab828154f5515ec63ac4d1da24e5f9476", null ]
];