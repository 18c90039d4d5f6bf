var classlarmor_1_1Shape =
[
    [ "Shape", "classlarmor_1_1Shape.html#a064b336fdaa18ab378ed624721dc366f", null ],
    [ "Shape", "classlarmor_1_1Shape.html#a3ee2f847faca63f82cbb7e018db0dd71", null ],
    [ "begin", "classlarmor_1_1Shape.html#a2e2c39b3d68a1b520ee1973fcf130cae", null ],
    [ "drop_front", "classlarmor_1_1Shape.html#acd55f92401b73bd5f728e8c4fd5a6e2c", null ],
    [ "end", "classlarmor_1_1Shape.html#a6626a812524a350d746104bff3baef69", null ],
    [ "operator[]", "classlarmor_1_1Shape.html#ae65fb5b6211690355b2521e4210965c9", null ],
    [ "operator[]", "classlarmor_1_1Shape.html#a4a5c6767555d4ae2f583e3e58dffbb3c", null ],
    [ "prepend", "classlarmor_1_1Shape.html#a8ea5daf91dadf1eb0e4ee86016121922", null ],
    [ "rank", "classlarmor_1_1Shape.html#a7fce3534dbd799d88b4d8219adafe010", null ],
    [ "size", "classlarmor_1_1Shape.html#a58a60c4292cea8bb9ec6fd71e3b3da59", null ],
    [ "to_string", "classlarmor_1_1Shape.html#a64ac91a851df68106cdced8e9fe03b08", null ],
    [ "operator==", "classlarmor_1_1Shape.html#a832b1b789d3d727f94c9f5dfd84278ed", null ]
];