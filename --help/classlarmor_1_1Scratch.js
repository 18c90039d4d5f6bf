var classlarmor_1_1Scratch =
[
    [ "Scratch", "classlarmor_1_1Scratch.html#a8d681df36beda0fc99fa01b5a2faf0ca", null ],
    [ "Scratch", "classlarmor_1_1Scratch.html#ab8ce2f78c192d8ba16b25b577506abad", null ],
    [ "operator=", "classlarmor_1_1Scratch.html#a684f732e6dada2fdd61d069dfba28ece", null ],
    [ "take", "classlarmor_1_1Scratch.html#ab1cf7f7b2dd52fbee4cffcdc9af1ef71", null ]
];