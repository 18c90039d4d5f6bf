var dir_f3248b6cb26a507fc9c979f21494de93 =
[
    [ "admm.hpp", "admm_8hpp_source.html", null ],
    [ "circulant_preconditioner.hpp", "circulant__preconditioner_8hpp_source.html", null ],
    [ "conjugate_gradient.hpp", "conjugate__gradient_8hpp_source.html", null ],
    [ "fista.hpp", "fista_8hpp_source.html", null ],
    [ "irgnm.hpp", "irgnm_8hpp_source.html", null ],
    [ "lsmr.hpp", "lsmr_8hpp_source.html", null ],
    [ "pdhg.hpp", "pdhg_8hpp_source.html", null ]
];