var structlarmor_1_1CalibrationRegion =
[
    [ "fov", "structlarmor_1_1CalibrationRegion.html#a882379dfd360da6ce3a9a59e898e0b9c", null ],
    [ "kspace", "structlarmor_1_1CalibrationRegion.html#a74763c9850a857fc43be67db0fcf59d2", null ]
];