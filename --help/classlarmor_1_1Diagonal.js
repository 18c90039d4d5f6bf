var classlarmor_1_1Diagonal =
[
    [ "Diagonal", "classlarmor_1_1Diagonal.html#a0b6d19424167263b2b4a94834cb64829", null ],
    [ "Diagonal", "classlarmor_1_1Diagonal.html#a513f8d18c3d2b8c9b53b822cb1431dc3", null ],
    [ "Diagonal", "classlarmor_1_1Diagonal.html#ab8426241df30e1291022cc0e0bf89a13", null ],
    [ "do_normal", "classlarmor_1_1Diagonal.html#ae976df0835e7b0ede74da9b36fa9a12c", null ],
    [ "name", "classlarmor_1_1Diagonal.html#a4ac7f426cb87ac7b32633eba668651e6", null ],
    [ "run", "classlarmor_1_1Diagonal.html#a5df2498c4f3eea72ee315b2db863eadd", null ],
    [ "scratch_bytes", "classlarmor_1_1Diagonal.html#a39307e2bc7392d56283c63c65be502a0", null ],
    [ "table_bytes", "classlarmor_1_1Diagonal.html#af562c410fb43bf7210fa9be02973947c", null ]
];