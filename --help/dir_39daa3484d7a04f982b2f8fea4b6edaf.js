var dir_39daa3484d7a04f982b2f8fea4b6edaf =
[
    [ "reader.hpp", "reader_8hpp_source.html", null ],
    [ "writer.hpp", "writer_8hpp_source.html", null ]
];