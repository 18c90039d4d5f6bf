var structlarmor_1_1ModelInput =
[
    [ "list", "structlarmor_1_1ModelInput.html#a02c1f51e369f04733226a5c14452ed71", null ],
    [ "options", "structlarmor_1_1ModelInput.html#ad87e806038587c2a44ef77147c3e8ef2", null ],
    [ "planned_coils", "structlarmor_1_1ModelInput.html#a1b7d842192fd27342c90577b22662a4c", null ],
    [ "problem", "structlarmor_1_1ModelInput.html#a8f61f922727a4a068a8f730413cc09a7", null ],
    [ "scan", "structlarmor_1_1ModelInput.html#aacfbbc7387255a92c26fd8829bfe2b7f", null ],
    [ "selection", "structlarmor_1_1ModelInput.html#a870518068789d5e0c73dce32aa903e6f", null ]
];