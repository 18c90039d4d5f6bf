var structlarmor_1_1Reconstruction =
[
    [ "quality", "structlarmor_1_1Reconstruction.html#a8f9a48c8dc5f6a470c5730ce007b859a", null ],
    [ "report", "structlarmor_1_1Reconstruction.html#ad22292b3f413ee3632beadaa7402e671", null ],
    [ "selection", "structlarmor_1_1Reconstruction.html#a415edad440ae5451e2f54d1c3cdcaad3", null ],
    [ "series", "structlarmor_1_1Reconstruction.html#ae67227cec9e83b1e02b08d1dd62b687b", null ]
];