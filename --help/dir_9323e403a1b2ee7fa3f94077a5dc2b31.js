var dir_9323e403a1b2ee7fa3f94077a5dc2b31 =
[
    [ "memory_plan.hpp", "memory__plan_8hpp_source.html", null ],
    [ "options.hpp", "mri_2reconstruct_2options_2options_8hpp_source.html", null ],
    [ "report.hpp", "report_8hpp_source.html", null ]
];