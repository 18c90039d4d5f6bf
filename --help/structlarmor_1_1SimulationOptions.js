var structlarmor_1_1SimulationOptions =
[
    [ "coils", "structlarmor_1_1SimulationOptions.html#acec294daae97928045c072cb2e519ee0", null ],
    [ "fov_mm", "structlarmor_1_1SimulationOptions.html#abfb57a41a9dda2a00286e275d2446151", null ],
    [ "maps", "structlarmor_1_1SimulationOptions.html#a78b2d9f1cb3fe102910e325d68e0c27a", null ],
    [ "matrix", "structlarmor_1_1SimulationOptions.html#aaae7faf840afbdb5ebce37e322ec4096", null ],
    [ "noise", "structlarmor_1_1SimulationOptions.html#aa3429fc53292c287535a61ef4d105693", null ],
    [ "order", "structlarmor_1_1SimulationOptions.html#ac5b8966aa783fe2743bcf5dc0d7c1527", null ],
    [ "readouts", "structlarmor_1_1SimulationOptions.html#ae4596e09ba4079ee48dc79b2659d73d9", null ],
    [ "samples", "structlarmor_1_1SimulationOptions.html#aed629b954e7ce6647eaf90d550b99cff", null ],
    [ "seed", "structlarmor_1_1SimulationOptions.html#a80d147437ffbe690571cc8d3532c5d15", null ],
    [ "trajectory", "structlarmor_1_1SimulationOptions.html#a901498850292820a2f62ae6e97d85886", null ]
];