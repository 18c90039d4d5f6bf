var structlarmor_1_1FrameWindow =
[
    [ "readouts", "structlarmor_1_1FrameWindow.html#a6e5a240bb6012f9a9fcc31cd70706ffa", null ],
    [ "step", "structlarmor_1_1FrameWindow.html#af9d586dd710db1e1875fd675bd0e22a1", null ]
];