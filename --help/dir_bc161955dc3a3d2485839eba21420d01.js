var dir_bc161955dc3a3d2485839eba21420d01 =
[
    [ "files", "dir_337a505552acd0dc2033ea37807a8867.html", "dir_337a505552acd0dc2033ea37807a8867" ],
    [ "ismrmrd", "dir_39daa3484d7a04f982b2f8fea4b6edaf.html", "dir_39daa3484d7a04f982b2f8fea4b6edaf" ],
    [ "formats.hpp", "formats_8hpp_source.html", null ]
];