var structlarmor_1_1StageSpan =
[
    [ "begin", "structlarmor_1_1StageSpan.html#a5eefca84c0f63c2b23f28553a178b9f6", null ],
    [ "end", "structlarmor_1_1StageSpan.html#a708398e5629ad90fd77503536b494b1e", null ],
    [ "stage", "structlarmor_1_1StageSpan.html#a075fdca1d60dc776266e92a5637dfeee", null ]
];