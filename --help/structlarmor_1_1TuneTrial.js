var structlarmor_1_1TuneTrial =
[
    [ "goal_ms", "structlarmor_1_1TuneTrial.html#a4db7d1d85e23251789eef3441bc33dc8", null ],
    [ "measured", "structlarmor_1_1TuneTrial.html#a3f84944c18ce2221a96a2b8b8c1ed019", null ],
    [ "adjoint_ms", "structlarmor_1_1TuneTrial.html#ae5b1093a02eac88189e5e2ab39215f1d", null ],
    [ "bytes", "structlarmor_1_1TuneTrial.html#a7a364277fad1003a1c5ddd65463f28a3", null ],
    [ "forward_ms", "structlarmor_1_1TuneTrial.html#ae8bba9c1036034ddf54a5d8b50e9d8c1", null ],
    [ "grid", "structlarmor_1_1TuneTrial.html#aad00b9100d1127199f388f4337915ab9", null ],
    [ "method", "structlarmor_1_1TuneTrial.html#a9d416e9bab46e49ef555f9b30744c6b3", null ],
    [ "oversampling", "structlarmor_1_1TuneTrial.html#a80775874f80a0cde4380a7a030ef7f5c", null ],
    [ "predicted_ms", "structlarmor_1_1TuneTrial.html#a36ad4a117d148c847ec07dc8fc2827b2", null ],
    [ "setup_ms", "structlarmor_1_1TuneTrial.html#a6a75eeeaf17b6deccadd7d974c71ca76", null ],
    [ "wanted", "structlarmor_1_1TuneTrial.html#a098deb0a7ac27faa2dbcbdbb2d039ac1", null ],
    [ "width", "structlarmor_1_1TuneTrial.html#a39c36599f6624aaa27a167798f95705e", null ]
];