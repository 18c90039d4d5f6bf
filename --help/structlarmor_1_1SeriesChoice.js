var structlarmor_1_1SeriesChoice =
[
    [ "bins", "structlarmor_1_1SeriesChoice.html#a7a13490c6ea724dc5525b3fcf15fd6d2", null ],
    [ "join_images", "structlarmor_1_1SeriesChoice.html#a38338379e488504098a520f9e0012090", null ],
    [ "window", "structlarmor_1_1SeriesChoice.html#a02dd23ab2207a0b472675563c30e2d5e", null ]
];