var structlarmor_1_1LambdaChoice =
[
    [ "interior", "structlarmor_1_1LambdaChoice.html#a1d0101658ee5bec7d2fbe556114f64c2", null ],
    [ "lambda", "structlarmor_1_1LambdaChoice.html#a0f660785f3a6bc8fde2b7bad4a83e674", null ],
    [ "rule", "structlarmor_1_1LambdaChoice.html#af4ceff8c86f30b3a5b99b83720530ecb", null ],
    [ "trials", "structlarmor_1_1LambdaChoice.html#ae053ce2005d3db86604ed71d88c88701", null ]
];