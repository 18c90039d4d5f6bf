var classlarmor_1_1StageClock =
[
    [ "StageClock", "classlarmor_1_1StageClock.html#a1e6200efdea19ac7391910dede41d1ac", null ],
    [ "charge", "classlarmor_1_1StageClock.html#a871884ccbdc10c8f775c660d900b9d87", null ]
];