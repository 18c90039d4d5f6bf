var dir_f0e3f9004057120c0c460802c53deaec =
[
    [ "delay_estimate.hpp", "delay__estimate_8hpp_source.html", null ],
    [ "gradient_delay.hpp", "gradient__delay_8hpp_source.html", null ],
    [ "spiral.hpp", "spiral_8hpp_source.html", null ],
    [ "trajectories.hpp", "trajectories_8hpp_source.html", null ]
];