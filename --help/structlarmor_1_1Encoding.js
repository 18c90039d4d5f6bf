var structlarmor_1_1Encoding =
[
    [ "center_step_1", "structlarmor_1_1Encoding.html#a2012a4c1493c2be3390c54f50c0be068", null ],
    [ "center_step_2", "structlarmor_1_1Encoding.html#aaee4e4dbf3ff191d3946d67f24c68232", null ],
    [ "encoded_fov_mm", "structlarmor_1_1Encoding.html#a89eefdac2b40004ba5acc454e3a586dc", null ],
    [ "encoded_matrix", "structlarmor_1_1Encoding.html#a753cc0a4a8c6c81c75fb067afd9be20b", null ],
    [ "has_recon_space", "structlarmor_1_1Encoding.html#ac30b887e53dc249ff166d7106a8c1c4f", null ],
    [ "multiband", "structlarmor_1_1Encoding.html#a6003d1e049c60cbef2f25ded64cd493b", null ],
    [ "recon_fov_mm", "structlarmor_1_1Encoding.html#a4945e8ac41d95d7a1b5a357f1db6033d", null ],
    [ "recon_matrix", "structlarmor_1_1Encoding.html#a20b6d186ff95ed00f91b0d90feb3e2ec", null ],
    [ "trajectory", "structlarmor_1_1Encoding.html#a256a8b63f54642788f3cffe0d14ae98f", null ],
    [ "trajectory_identifier", "structlarmor_1_1Encoding.html#a525f18ae41c3dfc642de0b0fa9b981c2", null ],
    [ "trajectory_parameters", "structlarmor_1_1Encoding.html#a5103ae5ea20e646f70cb890aad8bf534", null ]
];