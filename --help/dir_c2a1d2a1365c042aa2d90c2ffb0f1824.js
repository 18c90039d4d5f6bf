var dir_c2a1d2a1365c042aa2d90c2ffb0f1824 =
[
    [ "nufft", "dir_f15525e07a75e8551a29abd42b9e1155.html", "dir_f15525e07a75e8551a29abd42b9e1155" ],
    [ "transforms", "dir_cd74c072724ae8dacddd0043c25ac29a.html", "dir_cd74c072724ae8dacddd0043c25ac29a" ],
    [ "algebra.hpp", "algebra_8hpp_source.html", null ],
    [ "basic.hpp", "basic_8hpp_source.html", null ],
    [ "coil_maps.hpp", "operators_2coil__maps_8hpp_source.html", null ],
    [ "fft.hpp", "operators_2fft_8hpp_source.html", null ],
    [ "linear_operator.hpp", "linear__operator_8hpp_source.html", null ],
    [ "reshaped.hpp", "reshaped_8hpp_source.html", null ],
    [ "stacks.hpp", "stacks_8hpp_source.html", null ]
];