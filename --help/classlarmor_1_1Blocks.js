var classlarmor_1_1Blocks =
[
    [ "Blocks", "classlarmor_1_1Blocks.html#ab9cd876c8e263eb805db1c3f9f3bb1d6", null ],
    [ "do_normal", "classlarmor_1_1Blocks.html#a53047bc3b3b4540599d92053470a1115", null ],
    [ "name", "classlarmor_1_1Blocks.html#ae1532248c6e3ebea7dd150e6ea735022", null ],
    [ "run", "classlarmor_1_1Blocks.html#af0db9b3c979f409276f95c0448423354", null ],
    [ "scratch_bytes", "classlarmor_1_1Blocks.html#a96ada7b76f6efff8923f0bacfa4486cb", null ]
];