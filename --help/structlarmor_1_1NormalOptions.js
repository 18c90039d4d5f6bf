var structlarmor_1_1NormalOptions =
[
    [ "Toeplitz", "structlarmor_1_1NormalOptions.html#a02aa6ba52f6cbc9ac1d01da450f31dff", [
      [ "automatic", "structlarmor_1_1NormalOptions.html#a02aa6ba52f6cbc9ac1d01da450f31dffa2bd9c0ed00116be1258e0cc66617d7c8", null ],
      [ "on", "structlarmor_1_1NormalOptions.html#a02aa6ba52f6cbc9ac1d01da450f31dffaed2b5c0139cec8ad2873829dc1117d50", null ],
      [ "off", "structlarmor_1_1NormalOptions.html#a02aa6ba52f6cbc9ac1d01da450f31dffa3262d48df5d75e3452f0f16b313b7808", null ]
    ] ],
    [ "operator==", "structlarmor_1_1NormalOptions.html#ac543983af8ea0add8e74bc5f6f08ae81", null ],
    [ "byte_limit", "structlarmor_1_1NormalOptions.html#a3b20b8a9b810968c46166f8f8460ac96", null ],
    [ "expected_applies", "structlarmor_1_1NormalOptions.html#ae25b2584d2658d78f536c90492fb3b33", null ],
    [ "toeplitz", "structlarmor_1_1NormalOptions.html#ac93eafab2c71f03bcde25da8899ba37b", null ]
];