var classlarmor_1_1NonlinearLeastSquares =
[
    [ "descent", "classlarmor_1_1NonlinearLeastSquares.html#ad271360029db07b10d18c4b3a58711c5", null ],
    [ "domain", "classlarmor_1_1NonlinearLeastSquares.html#a2b2558480388e486a96cad7cdf6f298f", null ],
    [ "move_to", "classlarmor_1_1NonlinearLeastSquares.html#a60d3d03febba057a33c5564289ba4f86", null ],
    [ "normal", "classlarmor_1_1NonlinearLeastSquares.html#a8b941352a0d2f8251759f516f31b0aa1", null ],
    [ "residual_squared", "classlarmor_1_1NonlinearLeastSquares.html#af17347aeba74284a572e218bec8651fb", null ]
];