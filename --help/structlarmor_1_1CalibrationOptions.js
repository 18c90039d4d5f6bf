var structlarmor_1_1CalibrationOptions =
[
    [ "fov_pixels", "structlarmor_1_1CalibrationOptions.html#a345694e96f86ca60ff387d6ea9b13dba", null ],
    [ "iterations", "structlarmor_1_1CalibrationOptions.html#a885b65d287f183862d2ab219128be5f7", null ],
    [ "size", "structlarmor_1_1CalibrationOptions.html#a017df99315670a1304a9575a6ccb639b", null ]
];