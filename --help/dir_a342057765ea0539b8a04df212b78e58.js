var dir_a342057765ea0539b8a04df212b78e58 =
[
    [ "constraints.hpp", "constraints_8hpp_source.html", null ],
    [ "image_layout.hpp", "image__layout_8hpp_source.html", null ],
    [ "l1.hpp", "l1_8hpp_source.html", null ],
    [ "l2.hpp", "l2_8hpp_source.html", null ],
    [ "low_rank.hpp", "low__rank_8hpp_source.html", null ],
    [ "registry.hpp", "regularizers_2registry_8hpp_source.html", null ],
    [ "total_variation.hpp", "total__variation_8hpp_source.html", null ],
    [ "wavelet.hpp", "solvers_2regularizers_2wavelet_8hpp_source.html", null ]
];