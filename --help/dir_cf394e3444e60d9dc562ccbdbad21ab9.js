var dir_cf394e3444e60d9dc562ccbdbad21ab9 =
[
    [ "field_map.hpp", "field__map_8hpp_source.html", null ],
    [ "off_resonance.hpp", "off__resonance_8hpp_source.html", null ],
    [ "sense.hpp", "sense_8hpp_source.html", null ],
    [ "series.hpp", "series_8hpp_source.html", null ],
    [ "subspace.hpp", "subspace_8hpp_source.html", null ]
];