var classlarmor_1_1Wavelet =
[
    [ "Wavelet", "classlarmor_1_1Wavelet.html#a8a93335b4f70af350516c3c2709b0479", null ],
    [ "batch", "classlarmor_1_1Wavelet.html#a862f0ee0c3d14ec492bfe02f3c657672", null ],
    [ "details", "classlarmor_1_1Wavelet.html#a859bc62d600ee016565f8384af912c7e", null ],
    [ "do_normal", "classlarmor_1_1Wavelet.html#a5276fe96bc291c14924c8e34b3ea1081", null ],
    [ "levels", "classlarmor_1_1Wavelet.html#af3ddc6a062e4a12833e2798ce3b682fb", null ],
    [ "name", "classlarmor_1_1Wavelet.html#a5631ec7201aeaca50e97b6665e0872bc", null ],
    [ "run", "classlarmor_1_1Wavelet.html#aa6ef9e934dc88d80fec59bbbdc38e65f", null ],
    [ "scratch_bytes", "classlarmor_1_1Wavelet.html#a839712eb6749df994c5abb01e2dd1c37", null ]
];