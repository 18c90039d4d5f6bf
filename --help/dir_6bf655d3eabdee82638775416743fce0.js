var dir_6bf655d3eabdee82638775416743fce0 =
[
    [ "calibrate.hpp", "calibrate_8hpp_source.html", null ],
    [ "memory.hpp", "mri_2reconstruct_2steps_2memory_8hpp_source.html", null ],
    [ "model.hpp", "model_8hpp_source.html", null ],
    [ "problems.hpp", "problems_8hpp_source.html", null ],
    [ "quality.hpp", "quality_8hpp_source.html", null ],
    [ "select.hpp", "select_8hpp_source.html", null ],
    [ "solve.hpp", "mri_2reconstruct_2steps_2solve_8hpp_source.html", null ],
    [ "weigh.hpp", "weigh_8hpp_source.html", null ],
    [ "write_back.hpp", "write__back_8hpp_source.html", null ]
];