var structlarmor_1_1FoundLambda =
[
    [ "choice", "structlarmor_1_1FoundLambda.html#a37743486dbb4fedd8c8938cbda72f81a", null ],
    [ "solution", "structlarmor_1_1FoundLambda.html#a2fa48160b86a85c7080ce9b7475eca5e", null ],
    [ "solver", "structlarmor_1_1FoundLambda.html#a4c6d2cea2b3c73a783d8166b5ee51cef", null ],
    [ "terms", "structlarmor_1_1FoundLambda.html#a60bff6674f79eb2799592afdfcd2a137", null ]
];