var classlarmor_1_1VStack =
[
    [ "VStack", "classlarmor_1_1VStack.html#a3f7234b7d3f27470da5e21e30dcf9739", null ],
    [ "do_adjoint", "classlarmor_1_1VStack.html#a548cdae2056ba816f8e9362fd0151088", null ],
    [ "do_apply", "classlarmor_1_1VStack.html#af97a23446aaa4fffb7d1a62ac14d1833", null ],
    [ "do_normal", "classlarmor_1_1VStack.html#a98777821eb01a0a16d01441153cc69a9", null ],
    [ "name", "classlarmor_1_1VStack.html#ab1a863530ecb5cd7e054615b9605d034", null ],
    [ "scratch_bytes", "classlarmor_1_1VStack.html#aee2b1ad97a7e4a129f3852346e89e772", null ]
];