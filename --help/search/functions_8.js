var searchData=
[
  ['identity_0',['Identity',['../classlarmor_1_1Identity.html#a2d8f663e62abfd0460c3cce604bd7773',1,'larmor::Identity']]],
  ['image_1',['image',['../classlarmor_1_1Phantom.html#ad4e3706091bb84a630e912f202359865',1,'larmor::Phantom']]],
  ['in_5fuse_2',['in_use',['../classlarmor_1_1Arena.html#a92964704420d5ef716566cba7333a4ca',1,'larmor::Arena']]],
  ['inherited_3',['inherited',['../classlarmor_1_1RankSegment.html#a02593ada8987dfff147e5f0c461511c3',1,'larmor::RankSegment']]],
  ['inner_4',['inner',['../classlarmor_1_1OperatorOfParts.html#aadbe0fa5872de4c0ef5218df5b340237',1,'larmor::OperatorOfParts']]],
  ['items_5',['items',['../classlarmor_1_1MemoryPlan.html#a597463167e391486bbe3100599faa597',1,'larmor::MemoryPlan']]]
];
