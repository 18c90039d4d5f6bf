var structlarmor_1_1Image =
[
    [ "acquisition_time_stamp", "structlarmor_1_1Image.html#a51dd0fd54db9c552381d2aea78bbdb6b", null ],
    [ "counters", "structlarmor_1_1Image.html#ac359e8376f35bd34a02dd1fa833abf4d", null ],
    [ "geometry", "structlarmor_1_1Image.html#aa90e1f7c82a9bb9703e6def98b32b5c6", null ],
    [ "pixels", "structlarmor_1_1Image.html#a33831f207f3f1e9b70f3cd4d2a12af6f", null ]
];