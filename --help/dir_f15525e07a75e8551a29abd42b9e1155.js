var dir_f15525e07a75e8551a29abd42b9e1155 =
[
    [ "kernel", "dir_7fcb7864cc91a3590272a4d9a549800e.html", "dir_7fcb7864cc91a3590272a4d9a549800e" ],
    [ "toeplitz", "dir_816109de15c92836aaf0e102a6243e0c.html", "dir_816109de15c92836aaf0e102a6243e0c" ],
    [ "tune", "dir_0be053127ef99cd4d4bb5751c5f49918.html", "dir_0be053127ef99cd4d4bb5751c5f49918" ],
    [ "basis_nufft.hpp", "basis__nufft_8hpp_source.html", null ],
    [ "nudft.hpp", "nudft_8hpp_source.html", null ],
    [ "nufft.hpp", "nufft_8hpp_source.html", null ]
];