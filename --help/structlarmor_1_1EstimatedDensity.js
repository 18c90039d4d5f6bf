var structlarmor_1_1EstimatedDensity =
[
    [ "plan", "structlarmor_1_1EstimatedDensity.html#abd1789771aebc87d2d3295c2ddf823aa", null ],
    [ "weights", "structlarmor_1_1EstimatedDensity.html#a754e41ce9940d2c381f4e581dbf2ffd9", null ]
];