var structlarmor_1_1PhantomPart =
[
    [ "Kind", "structlarmor_1_1PhantomPart.html#a81fa30fbe1dd8a0e464d5e3736f6775f", [
      [ "ellipsoid", "structlarmor_1_1PhantomPart.html#a81fa30fbe1dd8a0e464d5e3736f6775fa4f5231223a520c685d8bc27811a4415f", null ],
      [ "box", "structlarmor_1_1PhantomPart.html#a81fa30fbe1dd8a0e464d5e3736f6775fa34be958a921e43d813a2075297d8e862", null ],
      [ "gaussian", "structlarmor_1_1PhantomPart.html#a81fa30fbe1dd8a0e464d5e3736f6775fa304e2a3b544f6b9f267a151e1bcee487", null ]
    ] ],
    [ "angle", "structlarmor_1_1PhantomPart.html#ab66dd52183a3f1f51ad46830bc142dfb", null ],
    [ "centre", "structlarmor_1_1PhantomPart.html#a3e76720eb171bec6b8a5540c210075f3", null ],
    [ "intensity", "structlarmor_1_1PhantomPart.html#aac722edf518116f8ca73463bae9cbbb1", null ],
    [ "kind", "structlarmor_1_1PhantomPart.html#aa5dc31954c1a4a6f61c38354b7253b0a", null ],
    [ "radii", "structlarmor_1_1PhantomPart.html#a5ef4621df4b449400934398429ceebe0", null ]
];