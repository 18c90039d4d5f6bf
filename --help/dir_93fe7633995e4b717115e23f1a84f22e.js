var dir_93fe7633995e4b717115e23f1a84f22e =
[
    [ "calibration.hpp", "calibration_8hpp_source.html", null ],
    [ "coil_maps.hpp", "mri_2coils_2coil__maps_8hpp_source.html", null ],
    [ "espirit.hpp", "espirit_8hpp_source.html", null ]
];