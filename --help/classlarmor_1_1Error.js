var classlarmor_1_1Error =
[
    [ "Error", "classlarmor_1_1Error.html#a0f0e9e50993ece87faea0a1dc1fdf1f6", null ],
    [ "about", "classlarmor_1_1Error.html#ae557ead016c9e4e5dcf9c5d1cd3595c6", null ],
    [ "error_class", "classlarmor_1_1Error.html#a677b476fd9a8a8c7fb6d62483347467c", null ],
    [ "exit_code", "classlarmor_1_1Error.html#aaa6159ce63a6f5234c82b946c5845a3f", null ],
    [ "parameter", "classlarmor_1_1Error.html#af690623cec132a86f71f35ab12932d63", null ]
];