var structlarmor_1_1ReconstructionPreview =
[
    [ "memory", "structlarmor_1_1ReconstructionPreview.html#abe863939aa6f70ef02b6ed321c70ded5", null ],
    [ "problems", "structlarmor_1_1ReconstructionPreview.html#a980d0f83011655192514b4486a3049a9", null ],
    [ "series", "structlarmor_1_1ReconstructionPreview.html#a68899f386f782af39f800acd2a80148f", null ]
];