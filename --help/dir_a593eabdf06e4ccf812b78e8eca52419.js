var dir_a593eabdf06e4ccf812b78e8eca52419 =
[
    [ "for_each.hpp", "cuda_2for__each_8hpp_source.html", null ]
];