var dir_89b49d9cccdd25b6412f908d4669d4c6 =
[
    [ "density.hpp", "density_8hpp_source.html", null ],
    [ "density_geometry.hpp", "density__geometry_8hpp_source.html", null ]
];