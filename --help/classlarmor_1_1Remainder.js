var classlarmor_1_1Remainder =
[
    [ "Remainder", "classlarmor_1_1Remainder.html#a7cfcb8cc31656ed693f793f88a2de90d", null ],
    [ "do_adjoint", "classlarmor_1_1Remainder.html#aaccc27431497c537333bb19544211322", null ],
    [ "do_apply", "classlarmor_1_1Remainder.html#a543de047896e844ded7fd5a90c8cda75", null ],
    [ "name", "classlarmor_1_1Remainder.html#a7aaad40508801857c827304940d88834", null ]
];