var structlarmor_1_1AutomaticCandidate =
[
    [ "choice", "structlarmor_1_1AutomaticCandidate.html#ac515674ad41f2ab81bd6bab2a50a188c", null ],
    [ "density", "structlarmor_1_1AutomaticCandidate.html#a63c4c95deda21db1fea4eeb112a71964", null ]
];