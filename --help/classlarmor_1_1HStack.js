var classlarmor_1_1HStack =
[
    [ "HStack", "classlarmor_1_1HStack.html#a197f8369b2c57313cb593f55af75dcc1", null ],
    [ "do_adjoint", "classlarmor_1_1HStack.html#a8bf3350ed1c39a03d019f2439e83a933", null ],
    [ "do_apply", "classlarmor_1_1HStack.html#af4b0610ee421d5af8c45f6cc9181f02f", null ],
    [ "name", "classlarmor_1_1HStack.html#a42624864755b0e19a3ea2e23cef955a5", null ]
];