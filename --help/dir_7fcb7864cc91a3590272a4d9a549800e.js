var dir_7fcb7864cc91a3590272a4d9a549800e =
[
    [ "kernel.hpp", "kernel_8hpp_source.html", null ],
    [ "kernel_series.hpp", "kernel__series_8hpp_source.html", null ]
];