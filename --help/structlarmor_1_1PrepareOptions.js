var structlarmor_1_1PrepareOptions =
[
    [ "calibration_is_imaging", "structlarmor_1_1PrepareOptions.html#a6a5d53638ed4dc59f2cec527e749ebd1", null ],
    [ "contrast", "structlarmor_1_1PrepareOptions.html#ab856201815d817b93835525d46518383", null ],
    [ "encoding", "structlarmor_1_1PrepareOptions.html#a3a6c0063ee2f4160a5a934ffd987de0e", null ],
    [ "estimate_delay", "structlarmor_1_1PrepareOptions.html#a76e20adc0ad12b68087e1f22b520f5bc", null ],
    [ "grid", "structlarmor_1_1PrepareOptions.html#ab6942523b8dd7317615faa18eb032c9c", null ],
    [ "phase", "structlarmor_1_1PrepareOptions.html#acaba0a6dee3cdce556a57ef1a553e55f", null ],
    [ "repetition", "structlarmor_1_1PrepareOptions.html#ad747d79b7e7c537126c397650ca38e45", null ],
    [ "set", "structlarmor_1_1PrepareOptions.html#a2c87e45a107546f993f50484585ed16b", null ],
    [ "slice", "structlarmor_1_1PrepareOptions.html#a9c424382a23d464c3512432f047ca190", null ],
    [ "third_delay", "structlarmor_1_1PrepareOptions.html#ac16e81eb2ec29ee60505c2a11264ab69", null ],
    [ "units", "structlarmor_1_1PrepareOptions.html#ab44a4d5e20da7ab50cdae1728ebf6a53", null ]
];