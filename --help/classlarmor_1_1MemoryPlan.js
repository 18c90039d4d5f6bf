var classlarmor_1_1MemoryPlan =
[
    [ "Item", "structlarmor_1_1MemoryPlan_1_1Item.html", "structlarmor_1_1MemoryPlan_1_1Item" ],
    [ "add", "classlarmor_1_1MemoryPlan.html#ace57a7b763e95e869b6b1d0535440f34", null ],
    [ "items", "classlarmor_1_1MemoryPlan.html#a597463167e391486bbe3100599faa597", null ],
    [ "require", "classlarmor_1_1MemoryPlan.html#a54d65fc32f8a15dc50fb7432c6eb8f6b", null ],
    [ "total", "classlarmor_1_1MemoryPlan.html#ac0abe3c4d0732b7f6ec93cf6ec111fbe", null ]
];