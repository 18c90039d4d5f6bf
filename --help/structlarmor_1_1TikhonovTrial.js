var structlarmor_1_1TikhonovTrial =
[
    [ "error", "structlarmor_1_1TikhonovTrial.html#ace14a9ce6c62d3b86f60d6ac37577a21", null ],
    [ "iterations", "structlarmor_1_1TikhonovTrial.html#a51dc52091934119f05ecf1af9b7573f9", null ],
    [ "lambda", "structlarmor_1_1TikhonovTrial.html#a4e5ad293da7ef4396b90cf3c75ec455e", null ]
];