var classlarmor_1_1Communicator =
[
    [ "Values", "structlarmor_1_1Communicator_1_1Values.html", "structlarmor_1_1Communicator_1_1Values" ],
    [ "Element", "classlarmor_1_1Communicator.html#a2ab2af9d6851c8be301801f103927191", [
      [ "single", "classlarmor_1_1Communicator.html#a2ab2af9d6851c8be301801f103927191add5c07036f2975ff4bce568b6511d3bc", null ],
      [ "full", "classlarmor_1_1Communicator.html#a2ab2af9d6851c8be301801f103927191ae9dc924f238fa6cc29465942875fe8f0", null ]
    ] ],
    [ "Communicator", "classlarmor_1_1Communicator.html#a44448d19e4d51ba03133b252870381b1", null ],
    [ "abort", "classlarmor_1_1Communicator.html#a2f84d4cedfef205f5cda03bc987767de", null ],
    [ "agree_on_status", "classlarmor_1_1Communicator.html#a23bd10bec573bc4c04a43ab4d7d6e06c", null ],
    [ "all_reduce", "classlarmor_1_1Communicator.html#a87bbd34fb507013189c7f0de6146d2ac", null ],
    [ "all_reduce", "classlarmor_1_1Communicator.html#acef5d780f71d519b03fbf0e446a5b9ed", null ],
    [ "barrier", "classlarmor_1_1Communicator.html#adebb9e4bffa3afe58f4228204396fca7", null ],
    [ "broadcast", "classlarmor_1_1Communicator.html#ac54be3f0a60253a1a00f73e1216438e8", null ],
    [ "broadcast", "classlarmor_1_1Communicator.html#a719e5273e6d2862afbd86ce1aafe7f34", null ],
    [ "broadcast_on_device", "classlarmor_1_1Communicator.html#aa2ac7e6138d720e1c71c04095ae49aa4", null ],
    [ "broadcast_on_host", "classlarmor_1_1Communicator.html#af08522535fef99035e999f1ccf893e9e", null ],
    [ "name", "classlarmor_1_1Communicator.html#a90269740d4220826a66f275da1cfc785", null ],
    [ "rank", "classlarmor_1_1Communicator.html#a09f923a332e094fa64358e392e100e14", null ],
    [ "reduce_on_device", "classlarmor_1_1Communicator.html#aa064d65e018765dcca5880f7a188eb87", null ],
    [ "reduce_on_host", "classlarmor_1_1Communicator.html#ab33246ccd8fd332282cdb4102f00593e", null ],
    [ "release_staging", "classlarmor_1_1Communicator.html#a668019c1e5b835957e360b8b3cb63ab6", null ],
    [ "size", "classlarmor_1_1Communicator.html#ad649ee96223d6e3d2e9de16dddc4165d", null ]
];