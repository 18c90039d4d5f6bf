var dir_4270bfced15e0e73154b13468c7c9ad9 =
[
    [ "communicator", "dir_573ada411ab38929ac48639d80db1c81.html", "dir_573ada411ab38929ac48639d80db1c81" ],
    [ "cuda", "dir_6250cda24836e79037828ff1f8568092.html", "dir_6250cda24836e79037828ff1f8568092" ],
    [ "data", "dir_514f1c3a2e475d9bb30bbbcde222f7ed.html", "dir_514f1c3a2e475d9bb30bbbcde222f7ed" ],
    [ "math", "dir_e07ac01d65d17e829451634057f91345.html", "dir_e07ac01d65d17e829451634057f91345" ],
    [ "vectors", "dir_babb1ed49a2355e5afa4068920917b31.html", "dir_babb1ed49a2355e5afa4068920917b31" ],
    [ "array.hpp", "array_8hpp_source.html", null ],
    [ "context.hpp", "context_8hpp_source.html", null ],
    [ "device.hpp", "device_8hpp_source.html", null ],
    [ "error.hpp", "error_8hpp_source.html", null ],
    [ "export.hpp", "export_8hpp_source.html", null ],
    [ "memory.hpp", "core_2memory_8hpp_source.html", null ],
    [ "parallel.hpp", "parallel_8hpp_source.html", null ],
    [ "reporter.hpp", "reporter_8hpp_source.html", null ],
    [ "shape.hpp", "shape_8hpp_source.html", null ],
    [ "thread_pool.hpp", "thread__pool_8hpp_source.html", null ],
    [ "version.hpp", "version_8hpp_source.html", null ]
];