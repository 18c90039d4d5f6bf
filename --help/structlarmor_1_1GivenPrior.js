var structlarmor_1_1GivenPrior =
[
    [ "file", "structlarmor_1_1GivenPrior.html#ab09845536c13273352739e8d2b8e929b", null ],
    [ "image", "structlarmor_1_1GivenPrior.html#a06708a8a23d31db796b4e48ff90f0fbf", null ]
];