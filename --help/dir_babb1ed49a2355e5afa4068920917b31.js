var dir_babb1ed49a2355e5afa4068920917b31 =
[
    [ "cuda", "dir_a593eabdf06e4ccf812b78e8eca52419.html", "dir_a593eabdf06e4ccf812b78e8eca52419" ],
    [ "for_each.hpp", "for__each_8hpp_source.html", null ],
    [ "shared_array.hpp", "shared__array_8hpp_source.html", null ],
    [ "vector_ops.hpp", "vector__ops_8hpp_source.html", null ]
];