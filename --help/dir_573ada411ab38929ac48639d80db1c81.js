var dir_573ada411ab38929ac48639d80db1c81 =
[
    [ "communicator.hpp", "communicator_8hpp_source.html", null ],
    [ "rank_segment.hpp", "rank__segment_8hpp_source.html", null ]
];