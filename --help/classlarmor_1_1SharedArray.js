var classlarmor_1_1SharedArray =
[
    [ "SharedArray", "classlarmor_1_1SharedArray.html#a5d84fc862af3ec4ae3974fc2dbd18ce0", null ],
    [ "SharedArray", "classlarmor_1_1SharedArray.html#ac53227928ce6aa2aaf872c250fbddef5", null ],
    [ "device", "classlarmor_1_1SharedArray.html#a947b213c3e804da1d9eabee650d0c102", null ],
    [ "empty", "classlarmor_1_1SharedArray.html#abbfd3b7d39dadb22c1b8e41f5bdb4e44", null ],
    [ "operator View< const T >", "classlarmor_1_1SharedArray.html#a6ec8fcdfade4ff91e79eccd7a0cd4667", null ],
    [ "shape", "classlarmor_1_1SharedArray.html#a514debbee14348fffb21a83b093389fd", null ],
    [ "size", "classlarmor_1_1SharedArray.html#a8b6d9bd8fc83efe4d19ac0c61cd0257e", null ],
    [ "view", "classlarmor_1_1SharedArray.html#a50bd60994118192826865bb426ca6fe0", null ]
];