var dir_adbf818e77d1933268f4209de344acab =
[
    [ "frames.hpp", "frames_8hpp_source.html", null ],
    [ "grids.hpp", "grids_8hpp_source.html", null ],
    [ "prepare.hpp", "prepare_8hpp_source.html", null ],
    [ "prepare_channels.hpp", "prepare__channels_8hpp_source.html", null ],
    [ "prepare_image.hpp", "prepare__image_8hpp_source.html", null ],
    [ "units.hpp", "units_8hpp_source.html", null ]
];