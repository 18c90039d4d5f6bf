var classlarmor_1_1Operator =
[
    [ "Operator", "classlarmor_1_1Operator.html#a3ff2db179d7fd685984a2ca6f980cd56", null ],
    [ "Operator", "classlarmor_1_1Operator.html#a99e4e02e3e34de768af20ffd442fcfcf", null ],
    [ "children", "classlarmor_1_1Operator.html#aee5c694a4c8f3c24dede72ad5cc03668", null ],
    [ "do_adjoint", "classlarmor_1_1Operator.html#a0fa831f570a0d741d58e266ba801fc89", null ],
    [ "do_apply", "classlarmor_1_1Operator.html#adf79f946c320f1ebe74ce198559cf410", null ],
    [ "do_normal", "classlarmor_1_1Operator.html#a50f5c8b747e8d1855b0ff4036c84f232", null ],
    [ "held", "classlarmor_1_1Operator.html#ad07869b66ec9fea78af2b36f026ee793", null ],
    [ "name", "classlarmor_1_1Operator.html#a3408d96a9e0c8f66fe0b53e569e41365", null ],
    [ "normal_through", "classlarmor_1_1Operator.html#a6ed4229d2dbad9ac83e85c00de39cacc", null ],
    [ "operator bool", "classlarmor_1_1Operator.html#ae540c9915ba7eac3d93aa12be8481c46", null ],
    [ "operator OperatorPtr< T >", "classlarmor_1_1Operator.html#ac2af6f3f50f71687209a95da79c5934e", null ],
    [ "scratch_bytes", "classlarmor_1_1Operator.html#a7595fe5ee49f78cb071ea307856327c5", null ],
    [ "share", "classlarmor_1_1Operator.html#a896da4f43c237466f85406beb7631301", null ],
    [ "table_bytes", "classlarmor_1_1Operator.html#ac196570fbbc3e12feac539b916bbf06c", null ]
];