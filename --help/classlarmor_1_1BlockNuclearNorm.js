var classlarmor_1_1BlockNuclearNorm =
[
    [ "BlockNuclearNorm", "classlarmor_1_1BlockNuclearNorm.html#a894511a67a1df74d7fb5e378f3cbbde8", null ],
    [ "apply", "classlarmor_1_1BlockNuclearNorm.html#accaf4ad28c593cde37ebe6a1134f26b0", null ],
    [ "name", "classlarmor_1_1BlockNuclearNorm.html#ad10bb4c1526989f1bb8bfeb06cbe4100", null ],
    [ "scratch_bytes", "classlarmor_1_1BlockNuclearNorm.html#aa08976f18bf68444adeff47772eb22e8", null ],
    [ "value", "classlarmor_1_1BlockNuclearNorm.html#a870feb996ae8f52ff3ecc960691acd32", null ]
];