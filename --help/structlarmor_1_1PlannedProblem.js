var structlarmor_1_1PlannedProblem =
[
    [ "frames", "structlarmor_1_1PlannedProblem.html#a9dee1ba0b3dd61d2c8edddab2982a3e2", null ],
    [ "normal", "structlarmor_1_1PlannedProblem.html#a0af41741b5485c4f111247ebab8f751c", null ],
    [ "basis", "structlarmor_1_1PlannedProblem.html#ab1cee0883da03f0c1b7633bd6914e190", null ],
    [ "first_image", "structlarmor_1_1PlannedProblem.html#a3f904eeb072c3290e3a957448ed6688d", null ],
    [ "images", "structlarmor_1_1PlannedProblem.html#a95c53d810b8503a152fe01239bb0b9f1", null ],
    [ "maps", "structlarmor_1_1PlannedProblem.html#a82f2ab281654d71bb034732da1cb0f1a", null ],
    [ "series", "structlarmor_1_1PlannedProblem.html#a8d697d4e47864e954844146051e8d384", null ],
    [ "trajectory", "structlarmor_1_1PlannedProblem.html#a226a3a2eb01aa221c4e83152fdb3296c", null ],
    [ "trajectory_again", "structlarmor_1_1PlannedProblem.html#a9eda01ac0a53f6f51d6dfb42ca987b93", null ],
    [ "unknown", "structlarmor_1_1PlannedProblem.html#a6d9231c43f94ca3f9c3ff69b71ddf02c", null ]
];