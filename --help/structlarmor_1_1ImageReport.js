var structlarmor_1_1ImageReport =
[
    [ "counters", "structlarmor_1_1ImageReport.html#a84ea33d8e24d106a7131acef99abbacc", null ],
    [ "dropped", "structlarmor_1_1ImageReport.html#a185a3f0c0f843b9770ac4357da332c86", null ],
    [ "history", "structlarmor_1_1ImageReport.html#a140be6679d6cd5092e45e99997c70b5d", null ],
    [ "operator_norm_squared", "structlarmor_1_1ImageReport.html#a4702a7a0a09dae69e0f551a4174a5787", null ],
    [ "samples", "structlarmor_1_1ImageReport.html#a81260f58abab0cef264cf78903a34153", null ],
    [ "scale", "structlarmor_1_1ImageReport.html#a2af996868a70677a2db72d93fe8f8220", null ],
    [ "step_size", "structlarmor_1_1ImageReport.html#a4ad519dbcfd1cb5203d48f97d468e74a", null ],
    [ "stop_reason", "structlarmor_1_1ImageReport.html#a79335f0734b87d0577780c1217b26a4e", null ],
    [ "trajectory_id", "structlarmor_1_1ImageReport.html#a159d4d00ca8a89ad370a3ae37fd2afcd", null ]
];