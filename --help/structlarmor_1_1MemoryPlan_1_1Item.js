var structlarmor_1_1MemoryPlan_1_1Item =
[
    [ "bytes", "structlarmor_1_1MemoryPlan_1_1Item.html#ab0ceff4932a8d1dec2cbb687e366bd15", null ],
    [ "name", "structlarmor_1_1MemoryPlan_1_1Item.html#adebaa320291837ca62fdf87a6418cff0", null ]
];