var structlarmor_1_1SubspaceBasis =
[
    [ "residual", "structlarmor_1_1SubspaceBasis.html#a384746edefc3c462480c5b7de93f98b8", null ],
    [ "singular_values", "structlarmor_1_1SubspaceBasis.html#a474de7be96ab7dead8f45904a9bae02c", null ],
    [ "vectors", "structlarmor_1_1SubspaceBasis.html#af638b06e1378326d39e5b6f2b1ddd981", null ]
];