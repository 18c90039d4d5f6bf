var structlarmor_1_1Selection =
[
    [ "calibration", "structlarmor_1_1Selection.html#aa3056dd70650a32a690309711d5ad773", null ],
    [ "channels", "structlarmor_1_1Selection.html#a56922d3194166537c3c469149ed37f44", null ],
    [ "plan", "structlarmor_1_1Selection.html#a77692cfb61fc0d384bec8f2ff8ec8b65", null ]
];