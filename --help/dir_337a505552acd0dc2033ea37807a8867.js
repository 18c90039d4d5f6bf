var dir_337a505552acd0dc2033ea37807a8867 =
[
    [ "written_files.hpp", "written__files_8hpp_source.html", null ]
];