var dir_96772f4d8d36a4e21b3721d88ae0a238 =
[
    [ "coils", "dir_93fe7633995e4b717115e23f1a84f22e.html", "dir_93fe7633995e4b717115e23f1a84f22e" ],
    [ "density", "dir_89b49d9cccdd25b6412f908d4669d4c6.html", "dir_89b49d9cccdd25b6412f908d4669d4c6" ],
    [ "model", "dir_cf394e3444e60d9dc562ccbdbad21ab9.html", "dir_cf394e3444e60d9dc562ccbdbad21ab9" ],
    [ "reconstruct", "dir_e5a97f8c3fed58163f8a440b3e85c7f3.html", "dir_e5a97f8c3fed58163f8a440b3e85c7f3" ],
    [ "scan", "dir_adbf818e77d1933268f4209de344acab.html", "dir_adbf818e77d1933268f4209de344acab" ],
    [ "simulation", "dir_30d497330445bded3d4b8fcbb5f20f1c.html", "dir_30d497330445bded3d4b8fcbb5f20f1c" ],
    [ "trajectory", "dir_f0e3f9004057120c0c460802c53deaec.html", "dir_f0e3f9004057120c0c460802c53deaec" ]
];