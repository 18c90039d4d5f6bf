var classlarmor_1_1BasisNufft =
[
    [ "BasisNufft", "classlarmor_1_1BasisNufft.html#a25f923d714459afb63c9f230355a8881", null ],
    [ "coefficients", "classlarmor_1_1BasisNufft.html#a8319391f970f7d542f2df1337a029519", null ],
    [ "do_normal", "classlarmor_1_1BasisNufft.html#a73e903f271416e1872dd4614bf0ba27c", null ],
    [ "name", "classlarmor_1_1BasisNufft.html#a0e99beb45a06b324b9097aae254e8fda", null ],
    [ "normal_through", "classlarmor_1_1BasisNufft.html#a171870c3d3350239cc571d77f378631b", null ],
    [ "run", "classlarmor_1_1BasisNufft.html#aa427b665aab9b9bd21afd8953f8a6c0e", null ],
    [ "scratch_bytes", "classlarmor_1_1BasisNufft.html#a81013a88ba889042c9e7e5f3f555bda5", null ],
    [ "table_bytes", "classlarmor_1_1BasisNufft.html#a9bc36aeba536bb810bbc8edd0c476988", null ],
    [ "tolerance", "classlarmor_1_1BasisNufft.html#a98e5c2be1ef999f50cedb1582c4b5090", null ]
];