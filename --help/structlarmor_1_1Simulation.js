var structlarmor_1_1Simulation =
[
    [ "maps", "structlarmor_1_1Simulation.html#a2657fb092a4ac57de3c02006080a23f3", null ],
    [ "scan", "structlarmor_1_1Simulation.html#ac7d450a5480119094bb7cba9e4c73016", null ],
    [ "truth", "structlarmor_1_1Simulation.html#a12625944b98adddb1122d91f337a88fc", null ]
];