var classlarmor_1_1Adjoint =
[
    [ "Adjoint", "classlarmor_1_1Adjoint.html#a4cd03237cba7bfdc3fd59a087a0f77b6", null ],
    [ "name", "classlarmor_1_1Adjoint.html#acea99430119a0fc9cddeebed1468d15b", null ],
    [ "run", "classlarmor_1_1Adjoint.html#aacdc8b11dfbddc325aabcbf13b016ebc", null ]
];