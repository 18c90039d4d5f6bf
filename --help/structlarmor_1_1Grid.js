var structlarmor_1_1Grid =
[
    [ "pixel", "structlarmor_1_1Grid.html#a028e1c484194b66cbc5261a987c0c97e", null ],
    [ "shape", "structlarmor_1_1Grid.html#a76983b7813fc69663ffe261657290808", null ],
    [ "fov_mm", "structlarmor_1_1Grid.html#ace518c74cbfe602e19a89d022cec7eca", null ],
    [ "matrix", "structlarmor_1_1Grid.html#a3eed4c9ed38da4416baeda6a9f05f93e", null ]
];