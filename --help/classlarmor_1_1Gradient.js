var classlarmor_1_1Gradient =
[
    [ "Gradient", "classlarmor_1_1Gradient.html#a8bfbc6ce4fbe9b486b64ba1cd15f7a07", null ],
    [ "name", "classlarmor_1_1Gradient.html#a958accb1ba9c48856a00505773330ff7", null ],
    [ "norm_squared", "classlarmor_1_1Gradient.html#aca4ee368393d120986303c15386f04fb", null ],
    [ "run", "classlarmor_1_1Gradient.html#ab72326581f72ef18842304bdee7d8b9d", null ],
    [ "scratch_bytes", "classlarmor_1_1Gradient.html#a8a32acc385095f75dd4aa3d71e069c08", null ]
];