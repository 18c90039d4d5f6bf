var structlarmor_1_1UnitDecision =
[
    [ "largest", "structlarmor_1_1UnitDecision.html#a4e19fe87ffbcf1459cc759895297b29f", null ],
    [ "scale", "structlarmor_1_1UnitDecision.html#ad1c704d8f481dee74e83564867884195", null ],
    [ "text", "structlarmor_1_1UnitDecision.html#aaa0d4fcea7a8814fb1e5829ae4a0267b", null ],
    [ "units", "structlarmor_1_1UnitDecision.html#a1d918f303821571af4bb6ba06bcf1673", null ]
];