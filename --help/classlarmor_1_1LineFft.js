var classlarmor_1_1LineFft =
[
    [ "LineFft", "classlarmor_1_1LineFft.html#a29c3d323ad2747aa9d1eb346b05045b1", null ],
    [ "execute", "classlarmor_1_1LineFft.html#a00747d785fa80145a4468e5a9b34d4a6", null ],
    [ "length", "classlarmor_1_1LineFft.html#ab373aa4a1d3186cdf53fe0367c40c420", null ],
    [ "lines", "classlarmor_1_1LineFft.html#ab65c13a8fc0fba27b2589752ea21d039", null ]
];