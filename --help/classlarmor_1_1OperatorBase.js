var classlarmor_1_1OperatorBase =
[
    [ "share", "classlarmor_1_1OperatorBase.html#a62539fa445a77799dd9fa3a3ab3e1a20", null ]
];