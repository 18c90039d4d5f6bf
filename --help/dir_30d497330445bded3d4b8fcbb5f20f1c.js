var dir_30d497330445bded3d4b8fcbb5f20f1c =
[
    [ "phantom.hpp", "phantom_8hpp_source.html", null ],
    [ "simulate.hpp", "simulate_8hpp_source.html", null ]
];