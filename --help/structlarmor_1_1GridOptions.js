var structlarmor_1_1GridOptions =
[
    [ "fov_mm", "structlarmor_1_1GridOptions.html#a351aa51ee9c3d629ec7077557783cb96", null ],
    [ "matrix", "structlarmor_1_1GridOptions.html#a330a6d56d2abf03de8ace9d6e163b89f", null ],
    [ "solve_fov", "structlarmor_1_1GridOptions.html#a60404555eafa7858d7fb43b2877413ca", null ]
];