var classlarmor_1_1LoopBody =
[
    [ "LoopBody", "classlarmor_1_1LoopBody.html#adfc05120e3b59e395c6fbdf0524eaac4", null ],
    [ "operator()", "classlarmor_1_1LoopBody.html#a19c587f1b53bb6ea294773244a89b7b5", null ]
];