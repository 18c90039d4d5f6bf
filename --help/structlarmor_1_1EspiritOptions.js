var structlarmor_1_1EspiritOptions =
[
    [ "crop", "structlarmor_1_1EspiritOptions.html#aa1230712a1d080de64c7ab04363441a4", null ],
    [ "kernel", "structlarmor_1_1EspiritOptions.html#a52874e4c34237bdce4a58d7fb411844b", null ],
    [ "sets", "structlarmor_1_1EspiritOptions.html#a09ede6207e3437a6a80d59b769f48bc8", null ],
    [ "threshold", "structlarmor_1_1EspiritOptions.html#a210c8acff37dbe417abafc5a5eb21cb5", null ]
];