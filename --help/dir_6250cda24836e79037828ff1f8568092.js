var dir_6250cda24836e79037828ff1f8568092 =
[
    [ "check.hpp", "check_8hpp_source.html", null ],
    [ "complex_value.hpp", "complex__value_8hpp_source.html", null ],
    [ "host_device.hpp", "host__device_8hpp_source.html", null ]
];