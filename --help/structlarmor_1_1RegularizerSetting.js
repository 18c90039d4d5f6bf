var structlarmor_1_1RegularizerSetting =
[
    [ "device", "structlarmor_1_1RegularizerSetting.html#a0e6cf11e316591ac123267cfaec3848d", null ],
    [ "image", "structlarmor_1_1RegularizerSetting.html#a38c9d317589fefdf7074927987880133", null ],
    [ "read_image", "structlarmor_1_1RegularizerSetting.html#a45faef742dc72720f4a528e88a82b107", null ]
];