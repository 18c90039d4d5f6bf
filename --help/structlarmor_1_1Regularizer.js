var structlarmor_1_1Regularizer =
[
    [ "auxiliary", "structlarmor_1_1Regularizer.html#a726fd35117d01cb42dd3f8251dfccd54", null ],
    [ "function", "structlarmor_1_1Regularizer.html#ac520eacec00e40c4baf86fb6426edc62", null ],
    [ "lambda", "structlarmor_1_1Regularizer.html#ab1493f289a05b7833f83d8090a1375a2", null ],
    [ "name", "structlarmor_1_1Regularizer.html#ad1c876ddc891c72b33ef3e8dfc3a49d0", null ],
    [ "prior", "structlarmor_1_1Regularizer.html#a6dd3fa31f3753bdbbf592837db8a1dae", null ],
    [ "quadratic", "structlarmor_1_1Regularizer.html#acabfc10edf9c80a3520ce384387799c6", null ],
    [ "transform", "structlarmor_1_1Regularizer.html#a8ae109cb40e72e94ffd73847f3a5f32b", null ],
    [ "transform_norm_squared", "structlarmor_1_1Regularizer.html#a900ba10b19005f597ab6659d6b0f6fb0", null ]
];