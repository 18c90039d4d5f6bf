var classlarmor_1_1Composition =
[
    [ "Composition", "classlarmor_1_1Composition.html#a17f0a0f0d84337796cad1a3159501cb3", null ],
    [ "do_normal", "classlarmor_1_1Composition.html#a5d0a0904ab0233c0c84c5c37ab78c093", null ],
    [ "name", "classlarmor_1_1Composition.html#ab8d2445ed1f0259847161446889835f3", null ],
    [ "run", "classlarmor_1_1Composition.html#a889a94d72ae67134b108dfd464b68539", null ],
    [ "scratch_bytes", "classlarmor_1_1Composition.html#a196bbe32cb23517112838c2f783d3f42", null ]
];