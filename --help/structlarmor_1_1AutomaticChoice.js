var structlarmor_1_1AutomaticChoice =
[
    [ "best", "structlarmor_1_1AutomaticChoice.html#ac5a78e8c661a9c56b8c4062a84e7a15b", null ],
    [ "candidates", "structlarmor_1_1AutomaticChoice.html#a8027d44b71db11b0d250f1d5b80d6167", null ],
    [ "chosen", "structlarmor_1_1AutomaticChoice.html#a29426fc83d6340a457e978fdc8035efb", null ],
    [ "noise_alone", "structlarmor_1_1AutomaticChoice.html#a4e5f9d5bcece19828be7ad140b581425", null ],
    [ "noise_variance", "structlarmor_1_1AutomaticChoice.html#a206908909b3654c8a45c1d6d65f2593e", null ]
];