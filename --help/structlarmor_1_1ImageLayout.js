var structlarmor_1_1ImageLayout =
[
    [ "frames", "structlarmor_1_1ImageLayout.html#a5d3798e6fdbc39c1af49000345ff3385", null ],
    [ "has_frames", "structlarmor_1_1ImageLayout.html#abec78384f56c25b88ca0ffeb7605dac1", null ],
    [ "pixels", "structlarmor_1_1ImageLayout.html#ab69c682fef4ec87fcb997b734f2e66e2", null ],
    [ "shape", "structlarmor_1_1ImageLayout.html#a198cb03b29173145aa38245c26b68a3c", null ],
    [ "space", "structlarmor_1_1ImageLayout.html#a0b8e333356737e75b0ee7e013646e591", null ]
];