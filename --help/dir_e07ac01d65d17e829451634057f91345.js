var dir_e07ac01d65d17e829451634057f91345 =
[
    [ "fft.hpp", "core_2math_2fft_8hpp_source.html", null ]
];