var classlarmor_1_1Arena =
[
    [ "Arena", "classlarmor_1_1Arena.html#aff1b252b4c7e79ff9b2ab96b7986334f", null ],
    [ "Arena", "classlarmor_1_1Arena.html#a70442faea48f05b2278a50b088f16fc8", null ],
    [ "capacity", "classlarmor_1_1Arena.html#aaa954740af9409c12cf71f82ab53666a", null ],
    [ "in_use", "classlarmor_1_1Arena.html#a92964704420d5ef716566cba7333a4ca", null ],
    [ "operator=", "classlarmor_1_1Arena.html#a647f00749df7cc7c237f39b5d386bcc5", null ],
    [ "release", "classlarmor_1_1Arena.html#a7b07b4b106ce8ad6172a4e7efae8d419", null ],
    [ "reserve", "classlarmor_1_1Arena.html#a8b9f664085317ae9a80410c281652498", null ]
];