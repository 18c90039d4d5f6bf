var files_dup =
[
    [ "core", "dir_4270bfced15e0e73154b13468c7c9ad9.html", "dir_4270bfced15e0e73154b13468c7c9ad9" ],
    [ "io", "dir_bc161955dc3a3d2485839eba21420d01.html", "dir_bc161955dc3a3d2485839eba21420d01" ],
    [ "mri", "dir_96772f4d8d36a4e21b3721d88ae0a238.html", "dir_96772f4d8d36a4e21b3721d88ae0a238" ],
    [ "operators", "dir_c2a1d2a1365c042aa2d90c2ffb0f1824.html", "dir_c2a1d2a1365c042aa2d90c2ffb0f1824" ],
    [ "solvers", "dir_65b24c28d0f232e494405d4f9f0c5236.html", "dir_65b24c28d0f232e494405d4f9f0c5236" ],
    [ "larmor.hpp", "larmor_8hpp_source.html", null ]
];