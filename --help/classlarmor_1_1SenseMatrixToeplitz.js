var classlarmor_1_1SenseMatrixToeplitz =
[
    [ "SenseMatrixToeplitz", "classlarmor_1_1SenseMatrixToeplitz.html#a7612a31ad5ff17a400def983a4d4f39e", null ],
    [ "children", "classlarmor_1_1SenseMatrixToeplitz.html#a1e70cff25794d3441926a0d3a4d2c803", null ],
    [ "name", "classlarmor_1_1SenseMatrixToeplitz.html#a7196f63e2abd910cd9374b4707a198e8", null ],
    [ "run", "classlarmor_1_1SenseMatrixToeplitz.html#a91176c08cb639875b1664faf00d3147d", null ],
    [ "scratch_bytes", "classlarmor_1_1SenseMatrixToeplitz.html#a987e1ddcdd30738ef95caac717a79258", null ],
    [ "table_bytes", "classlarmor_1_1SenseMatrixToeplitz.html#aea8b001dff1e04b5b1dea402a1b8ccd8", null ]
];