var classlarmor_1_1AxisMatrix =
[
    [ "AxisMatrix", "classlarmor_1_1AxisMatrix.html#ae20ce344470fa50175d84e354184e033", null ],
    [ "name", "classlarmor_1_1AxisMatrix.html#a4ff99aa4621a364c38ed8f8c6fd845f6", null ],
    [ "run", "classlarmor_1_1AxisMatrix.html#a620620af0852b43b06472f92046764e2", null ],
    [ "scratch_bytes", "classlarmor_1_1AxisMatrix.html#ad49d810116a02a7f3971a77612f80fd8", null ],
    [ "table_bytes", "classlarmor_1_1AxisMatrix.html#a164ec91aacdf38af6f3e1ae48ba65d61", null ]
];