var structlarmor_1_1ContextOptions =
[
    [ "cancel", "structlarmor_1_1ContextOptions.html#a05180b52a2e26811d921651de28e9abd", null ],
    [ "deterministic", "structlarmor_1_1ContextOptions.html#aa8f960efc3d4bb7f139abcf81d20c86d", null ],
    [ "memory_limit", "structlarmor_1_1ContextOptions.html#a1c57e3a107aaad905c575725d2d0f1b2", null ],
    [ "reporter", "structlarmor_1_1ContextOptions.html#a17d3867453f9d7a8ca66bd5795e5913e", null ],
    [ "threads", "structlarmor_1_1ContextOptions.html#a2edba43981f8dd8b8cb25a85a7b62775", null ]
];