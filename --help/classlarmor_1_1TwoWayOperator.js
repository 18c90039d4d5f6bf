var classlarmor_1_1TwoWayOperator =
[
    [ "do_adjoint", "classlarmor_1_1TwoWayOperator.html#a2f7d802996f52f5c30f711a80a7c3f6e", null ],
    [ "do_apply", "classlarmor_1_1TwoWayOperator.html#ad1a40614458891bbab8eb06e07f30716", null ],
    [ "run", "classlarmor_1_1TwoWayOperator.html#a37b28c3a5b57606156367668fe8d8b85", null ]
];