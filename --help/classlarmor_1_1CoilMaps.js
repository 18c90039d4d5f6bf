var classlarmor_1_1CoilMaps =
[
    [ "CoilMaps", "classlarmor_1_1CoilMaps.html#ae7a3fa56ba0e2d8008afb90e0214ec02", null ],
    [ "CoilMaps", "classlarmor_1_1CoilMaps.html#adcd483f98680bd0167282944f5ea4b32", null ],
    [ "CoilMaps", "classlarmor_1_1CoilMaps.html#a3238b162e879c53fa676f1b34ae7adaf", null ],
    [ "coils", "classlarmor_1_1CoilMaps.html#a12870db8b477db6f08fff9b00f93130b", null ],
    [ "maps", "classlarmor_1_1CoilMaps.html#a33b57b11d1473494a24c51cb8b6d0084", null ],
    [ "name", "classlarmor_1_1CoilMaps.html#a4e089b3a0635f95de64e70c8949b3555", null ],
    [ "placement", "classlarmor_1_1CoilMaps.html#ae5bc1b7d15e4d6fdab456c3b168e5579", null ],
    [ "run", "classlarmor_1_1CoilMaps.html#ac0ede6ee38f114860ba4e52648e0921b", null ],
    [ "scratch_bytes", "classlarmor_1_1CoilMaps.html#a73ebc468bea519a6622cf7a32a752555", null ],
    [ "table_bytes", "classlarmor_1_1CoilMaps.html#abbcbab572207dfbabf126b794a4efa3d", null ]
];