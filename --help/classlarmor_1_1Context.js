var classlarmor_1_1Context =
[
    [ "Context", "classlarmor_1_1Context.html#a81531e64a698a1f613ef91e5d57dae80", null ],
    [ "arena", "classlarmor_1_1Context.html#a5c0f1c3ecf09de34d06a4a7e2cd00d1a", null ],
    [ "cancelled", "classlarmor_1_1Context.html#a5e1db4a3a767f449c01d1f8679546a07", null ],
    [ "deterministic", "classlarmor_1_1Context.html#a8f8eac3b78e40fd81fdf1242b4765ff6", null ],
    [ "device", "classlarmor_1_1Context.html#ae33162961589b004ec072a8d8df737a8", null ],
    [ "host", "classlarmor_1_1Context.html#acd80090212f67c42f9349c8e3a9fa310", null ],
    [ "memory_limit", "classlarmor_1_1Context.html#af42c59d3e8c644cd656fa6f957a0b86f", null ],
    [ "on_gpu", "classlarmor_1_1Context.html#ae6503b3e8e69b55d80d3851af531a92c", null ],
    [ "pool", "classlarmor_1_1Context.html#a26558fb3166f07d49d65c8cc56571632", null ],
    [ "reduction_buffers", "classlarmor_1_1Context.html#a03ec03518269edb254deb859f676f8a2", null ],
    [ "reporter", "classlarmor_1_1Context.html#acfc6c4d0371cffbc22d4466f2c0212f9", null ],
    [ "stream", "classlarmor_1_1Context.html#a8a01d3fda307f382824d0996fb926c09", null ],
    [ "synchronize", "classlarmor_1_1Context.html#ad950088c574d778c770dca03212d63bc", null ],
    [ "threads", "classlarmor_1_1Context.html#a8bff7bd3633b481905699bfd5fafa23e", null ],
    [ "throw_if_cancelled", "classlarmor_1_1Context.html#a972ecc30edf766d2fb75864aad7562ad", null ]
];