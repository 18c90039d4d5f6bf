var structlarmor_1_1NormalTrial =
[
    [ "form", "structlarmor_1_1NormalTrial.html#a1eec0ac6fb728cb75b3fd932d4bcb445", null ],
    [ "ms", "structlarmor_1_1NormalTrial.html#a569962d37030da1e895a0096b3827ffc", null ],
    [ "options", "structlarmor_1_1NormalTrial.html#adc29c38347e156f6d352304b9201e97b", null ],
    [ "setup_ms", "structlarmor_1_1NormalTrial.html#a1dcdd910014616c5804229b3c12420db", null ]
];