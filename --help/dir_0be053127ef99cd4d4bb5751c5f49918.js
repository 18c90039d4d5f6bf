var dir_0be053127ef99cd4d4bb5751c5f49918 =
[
    [ "tuner.hpp", "tuner_8hpp_source.html", null ]
];