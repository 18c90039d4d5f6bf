var structlarmor_1_1ImageGeometry =
[
    [ "shape", "structlarmor_1_1ImageGeometry.html#a814e7c1d68929f1fda8a9df7a567122b", null ],
    [ "fov_mm", "structlarmor_1_1ImageGeometry.html#aa41f224414faac788cd93615f280ee80", null ],
    [ "matrix", "structlarmor_1_1ImageGeometry.html#ad5600939cbb4890db0554296a0cb6f45", null ],
    [ "orientation_known", "structlarmor_1_1ImageGeometry.html#a1c300e9ee4bec4ae248b63ac4225cc78", null ],
    [ "phase_dir", "structlarmor_1_1ImageGeometry.html#a5eaf07a86601bdb9f9c9379abeb90ba8", null ],
    [ "position", "structlarmor_1_1ImageGeometry.html#a4e761411ed7305601194097787f68143", null ],
    [ "read_dir", "structlarmor_1_1ImageGeometry.html#a313bec8fefa051ec4d09f18ef608367e", null ],
    [ "slice_dir", "structlarmor_1_1ImageGeometry.html#a750b79b1443947fba1f1f5883914c751", null ]
];