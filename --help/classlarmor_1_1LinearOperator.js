var classlarmor_1_1LinearOperator =
[
    [ "LinearOperator", "classlarmor_1_1LinearOperator.html#a05ddb323e705d13c28536e9ec8952855", null ],
    [ "adjoint", "classlarmor_1_1LinearOperator.html#a03b9fb8030cc104a599d75e6cfd03c49", null ],
    [ "adjoint", "classlarmor_1_1LinearOperator.html#a83356e9e82c6f920ecb83be3877dbc21", null ],
    [ "apply", "classlarmor_1_1LinearOperator.html#a042853634be59458083c1a6f91b7a1aa", null ],
    [ "apply", "classlarmor_1_1LinearOperator.html#ad962e5c7b7dc2200297443fcf796bcab", null ],
    [ "apply", "classlarmor_1_1LinearOperator.html#a6145c025eaeb0f706338fe890a6402c3", null ],
    [ "children", "classlarmor_1_1LinearOperator.html#ab0f6e8391e53ec0b2bb0050de84e6256", null ],
    [ "codomain", "classlarmor_1_1LinearOperator.html#a49951b23d568f976064ae3bea3f066de", null ],
    [ "do_adjoint", "classlarmor_1_1LinearOperator.html#aa504151ec4dc92c1c0c86340a866efa8", null ],
    [ "do_apply", "classlarmor_1_1LinearOperator.html#af68b7db10881d20f7ab6b0a36bf46f8b", null ],
    [ "do_normal", "classlarmor_1_1LinearOperator.html#ad491b8a295f836e5c2c718e1e8e7225b", null ],
    [ "domain", "classlarmor_1_1LinearOperator.html#aeaaf0bdda5d1244153d101e3529ef81c", null ],
    [ "name", "classlarmor_1_1LinearOperator.html#a3b334d0330e48f9e356411f18532aba8", null ],
    [ "normal", "classlarmor_1_1LinearOperator.html#a68a16bf27f82f034d889fe56fa1983a8", null ],
    [ "normal", "classlarmor_1_1LinearOperator.html#a279c447397f676cdc11a70e660a19d93", null ],
    [ "normal_through", "classlarmor_1_1LinearOperator.html#a167c294e7dfedad91173a57a65acf022", null ],
    [ "reserve", "classlarmor_1_1LinearOperator.html#aa521e510a908406abf17b52aab3f50c7", null ],
    [ "scratch_bytes", "classlarmor_1_1LinearOperator.html#a03ef08de7d0bed2d17d99e2e36936bec", null ],
    [ "set_shapes", "classlarmor_1_1LinearOperator.html#a378ba8e2049a0b86de012b84d633bd8d", null ],
    [ "share", "classlarmor_1_1LinearOperator.html#a989ca5d3834f7b36b7d7d073031afc7d", null ],
    [ "table_bytes", "classlarmor_1_1LinearOperator.html#ac7503d42ca74180abcf52880dac524cb", null ]
];