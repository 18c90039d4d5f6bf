var structlarmor_1_1IndexRange =
[
    [ "contains", "structlarmor_1_1IndexRange.html#af404b0945c9ea53eb2920d3873a6b6e4", null ],
    [ "everything", "structlarmor_1_1IndexRange.html#a3fbca890fa82815e14bf44d9fc644b08", null ],
    [ "first", "structlarmor_1_1IndexRange.html#a1a9708ee57136b607b8d12d002b3d2ee", null ],
    [ "last", "structlarmor_1_1IndexRange.html#a3c3f2d18ea5106397966096079ba140a", null ]
];