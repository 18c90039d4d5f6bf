var structlarmor_1_1FieldMap =
[
    [ "decay", "structlarmor_1_1FieldMap.html#a9b627cf353fa7aa6b23697d4c485a761", null ],
    [ "frequency", "structlarmor_1_1FieldMap.html#a07f0c6534d09353f5136b79f04a7fa56", null ],
    [ "weight", "structlarmor_1_1FieldMap.html#a83a3ae10296498b78e57bff6c7e2e49f", null ]
];