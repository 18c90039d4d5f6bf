var classlarmor_1_1Reporter =
[
    [ "note", "classlarmor_1_1Reporter.html#a91f5f288f454e400af2d41bb81977044", null ],
    [ "progress", "classlarmor_1_1Reporter.html#a1d6240bfee51c8e7ece6d80ff3d0df93", null ],
    [ "warning", "classlarmor_1_1Reporter.html#a9848184d5e146ab659ec374caa6f1caf", null ]
];