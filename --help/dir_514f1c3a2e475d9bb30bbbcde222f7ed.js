var dir_514f1c3a2e475d9bb30bbbcde222f7ed =
[
    [ "image.hpp", "image_8hpp_source.html", null ],
    [ "scan.hpp", "scan_8hpp_source.html", null ],
    [ "wisdom.hpp", "wisdom_8hpp_source.html", null ]
];