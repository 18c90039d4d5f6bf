var structlarmor_1_1WrittenFiles =
[
    [ "files", "structlarmor_1_1WrittenFiles.html#aaa91a05a745711a8011152b9a8bf9285", null ],
    [ "warnings", "structlarmor_1_1WrittenFiles.html#a10446e5611726e9a754289312e89f5b7", null ]
];