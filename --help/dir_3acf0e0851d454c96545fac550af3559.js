var dir_3acf0e0851d454c96545fac550af3559 =
[
    [ "tikhonov_choice.hpp", "tikhonov__choice_8hpp_source.html", null ]
];