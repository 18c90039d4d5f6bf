var structlarmor_1_1RegularizerRow =
[
    [ "help", "structlarmor_1_1RegularizerRow.html#a20d2ff8b7142c728931629e80074cd0d", null ],
    [ "make_double", "structlarmor_1_1RegularizerRow.html#a4ea9a7a1989702e0056d5ca057efc6b4", null ],
    [ "make_float", "structlarmor_1_1RegularizerRow.html#a5615852f32fb2d141db0aaf442798b03", null ],
    [ "name", "structlarmor_1_1RegularizerRow.html#a482be3c11ae1f3106a1e672627d3e3b1", null ],
    [ "needs_frames", "structlarmor_1_1RegularizerRow.html#a20ecd1cbc20655b863f31b62e9019426", null ],
    [ "parameters", "structlarmor_1_1RegularizerRow.html#acc5c09d3a8e1801c90a048f98121d20c", null ],
    [ "takes_lambda", "structlarmor_1_1RegularizerRow.html#a3a4d4ec0b0a6d8cbd137fd5233bbaedc", null ]
];