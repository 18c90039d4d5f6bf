var structlarmor_1_1Device =
[
    [ "Kind", "structlarmor_1_1Device.html#a5eb56550374d93adc4a81c9bb108a553", [
      [ "cpu", "structlarmor_1_1Device.html#a5eb56550374d93adc4a81c9bb108a553ad9747e2da342bdb995f6389533ad1a3d", null ],
      [ "cuda", "structlarmor_1_1Device.html#a5eb56550374d93adc4a81c9bb108a553a39466fe22b062a34cfe09f3cc8c24868", null ]
    ] ],
    [ "on_gpu", "structlarmor_1_1Device.html#ac75c3265f75115e3d1500f9f4818f6cf", null ],
    [ "to_string", "structlarmor_1_1Device.html#afdf43869530ec23121d637cdb48f1d43", null ],
    [ "operator==", "structlarmor_1_1Device.html#a948a4389473fb48ad421aa35cc64fd83", null ],
    [ "kind", "structlarmor_1_1Device.html#a477f839529a598a09f5ca0bf008abd48", null ],
    [ "ordinal", "structlarmor_1_1Device.html#ad7d87a0c8aac6229a2d3cb5f74dc0753", null ]
];