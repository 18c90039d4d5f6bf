var structlarmor_1_1GradientDelay =
[
    [ "zero", "structlarmor_1_1GradientDelay.html#adb13b5f9af39c2975cb2d6d182622a76", null ],
    [ "x", "structlarmor_1_1GradientDelay.html#a158e209ec242d64dc9d07835a2f38e71", null ],
    [ "xy", "structlarmor_1_1GradientDelay.html#a3cdf40091b51c7d1a6bb591ea95d5336", null ],
    [ "y", "structlarmor_1_1GradientDelay.html#a43b018d8c81cf8aa52fa6654ba7affe6", null ],
    [ "z", "structlarmor_1_1GradientDelay.html#a3ce5a2777db22526bacfcb982bf26b38", null ]
];