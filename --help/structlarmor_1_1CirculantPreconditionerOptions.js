var structlarmor_1_1CirculantPreconditionerOptions =
[
    [ "floor", "structlarmor_1_1CirculantPreconditionerOptions.html#ae7ab6cab73720f27ef85cab8e80f7844", null ],
    [ "lambda", "structlarmor_1_1CirculantPreconditionerOptions.html#afce426e324d7391a1a7e00ea641a0231", null ],
    [ "norm_squared", "structlarmor_1_1CirculantPreconditionerOptions.html#a1db24d825d7627b024c3f9349c3e5e23", null ],
    [ "probes", "structlarmor_1_1CirculantPreconditionerOptions.html#a4538d877dd22951f33d94d81be7d1c74", null ]
];