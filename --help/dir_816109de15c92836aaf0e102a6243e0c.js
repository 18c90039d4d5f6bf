var dir_816109de15c92836aaf0e102a6243e0c =
[
    [ "matrix_toeplitz.hpp", "matrix__toeplitz_8hpp_source.html", null ]
];