var structlarmor_1_1WalshOptions =
[
    [ "crop", "structlarmor_1_1WalshOptions.html#ac0fa15b7d23af29c02e236a1d9890713", null ],
    [ "radius", "structlarmor_1_1WalshOptions.html#a8124dc5ca935413d0be1052f83cbff73", null ]
];