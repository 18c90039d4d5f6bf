var structlarmor_1_1SensitivityTerm =
[
    [ "amplitude", "structlarmor_1_1SensitivityTerm.html#a411ee567931b9483fc61ef37222aeae3", null ],
    [ "frequency", "structlarmor_1_1SensitivityTerm.html#a8c87759074c7c2266897c3c8ebac4024", null ]
];