var structlarmor_1_1Scan =
[
    [ "data", "structlarmor_1_1Scan.html#a12f2f08cf13edfb1d96048e5631b2a09", null ],
    [ "encodings", "structlarmor_1_1Scan.html#a8d1589d39a4d86b1db74a39ef893ac9e", null ],
    [ "noise_bandwidth_assumed", "structlarmor_1_1Scan.html#a92ba09099fb60d31ef1eed0b5aab16da", null ],
    [ "notes", "structlarmor_1_1Scan.html#a43858c7180331f34f86c7b0f5555ea30", null ],
    [ "patient_position", "structlarmor_1_1Scan.html#ab509df60be6e9f2e5032077f084a984f", null ],
    [ "readouts", "structlarmor_1_1Scan.html#a3a814224d74d4e1f104c7d30d0b1622a", null ],
    [ "relative_noise_bandwidth", "structlarmor_1_1Scan.html#a39cb6a7ac0843755bc933420c8c80e4a", null ],
    [ "source", "structlarmor_1_1Scan.html#acadbadf34a5c4ba9f2d8563946eebfa9", null ],
    [ "trajectory", "structlarmor_1_1Scan.html#aa51009bda38c06493d9671bbe849c28e", null ],
    [ "warnings", "structlarmor_1_1Scan.html#a35b4f2a07a3746eadf05d652de50e7b6", null ],
    [ "xml_header", "structlarmor_1_1Scan.html#a387ce3d0b30f7ca056d1c577ab0ec057", null ]
];