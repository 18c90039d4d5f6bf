var classlarmor_1_1View =
[
    [ "View", "classlarmor_1_1View.html#abb0eef1aac3d45047040d1f3e1dea570", null ],
    [ "View", "classlarmor_1_1View.html#a137389eae1f04f773638083ddc9e70e0", null ],
    [ "View", "classlarmor_1_1View.html#ad3baec42660417f6e0a4ee27b14f34c5", null ],
    [ "View", "classlarmor_1_1View.html#a347a438354c9e239881071ba21082b48", null ],
    [ "begin", "classlarmor_1_1View.html#a5eb6e7b6cfb1fde84922e5e67758a457", null ],
    [ "bytes", "classlarmor_1_1View.html#ae38f87291c616b9a242b327faa9e7e26", null ],
    [ "data", "classlarmor_1_1View.html#a308245e1de39ce6d6b16fb099332fd7b", null ],
    [ "device", "classlarmor_1_1View.html#a98029fefaf36202c5b1c869ba04efc1b", null ],
    [ "end", "classlarmor_1_1View.html#acc1c2950cd941a4ca28076cac459a0e2", null ],
    [ "operator[]", "classlarmor_1_1View.html#abc13ab3cc85dd3e6b803275b084c8ebc", null ],
    [ "reshaped", "classlarmor_1_1View.html#aa93b53cfd204320483b55a66aecd8286", null ],
    [ "shape", "classlarmor_1_1View.html#a1fb8847ab9031f6f165dbe7ae5a6d344", null ],
    [ "size", "classlarmor_1_1View.html#a37f886f54d6fe00af58b15b1e9a941bb", null ],
    [ "slice", "classlarmor_1_1View.html#a03569e8e3b57ead872ac6e3dc369136a", null ],
    [ "slices", "classlarmor_1_1View.html#a79cdab54d4b9aa1e13c3917a90984e81", null ]
];