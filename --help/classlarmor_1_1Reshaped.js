var classlarmor_1_1Reshaped =
[
    [ "Reshaped", "classlarmor_1_1Reshaped.html#a65da007a2d6deb3d9a30fc0f1f05456a", null ],
    [ "do_normal", "classlarmor_1_1Reshaped.html#a4054a9f61a13bfae9390527d1eb024c7", null ],
    [ "name", "classlarmor_1_1Reshaped.html#ad9d3beaa0501eced3324cb43e1ab011e", null ],
    [ "run", "classlarmor_1_1Reshaped.html#a0ed4d197c20ec4e811070de11121e4b0", null ]
];