var dir_cd74c072724ae8dacddd0043c25ac29a =
[
    [ "axis_matrix.hpp", "axis__matrix_8hpp_source.html", null ],
    [ "blocks.hpp", "blocks_8hpp_source.html", null ],
    [ "gradient.hpp", "gradient_8hpp_source.html", null ],
    [ "wavelet.hpp", "operators_2transforms_2wavelet_8hpp_source.html", null ]
];