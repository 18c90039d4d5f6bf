var dir_3c32cf3abe2cc16a1c02fff146ef7f8e =
[
    [ "options.hpp", "solvers_2problem_2options_8hpp_source.html", null ],
    [ "problem.hpp", "problem_8hpp_source.html", null ]
];