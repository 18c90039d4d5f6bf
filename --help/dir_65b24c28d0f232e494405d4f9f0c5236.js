var dir_65b24c28d0f232e494405d4f9f0c5236 =
[
    [ "methods", "dir_f3248b6cb26a507fc9c979f21494de93.html", "dir_f3248b6cb26a507fc9c979f21494de93" ],
    [ "problem", "dir_3c32cf3abe2cc16a1c02fff146ef7f8e.html", "dir_3c32cf3abe2cc16a1c02fff146ef7f8e" ],
    [ "regularizers", "dir_a342057765ea0539b8a04df212b78e58.html", "dir_a342057765ea0539b8a04df212b78e58" ],
    [ "risk", "dir_3acf0e0851d454c96545fac550af3559.html", "dir_3acf0e0851d454c96545fac550af3559" ],
    [ "found_lambda.hpp", "found__lambda_8hpp_source.html", null ],
    [ "lambda_search.hpp", "lambda__search_8hpp_source.html", null ],
    [ "registry.hpp", "registry_8hpp_source.html", null ],
    [ "solve.hpp", "solvers_2solve_8hpp_source.html", null ]
];