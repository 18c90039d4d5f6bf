var structlarmor_1_1MemoryUse =
[
    [ "allocations", "structlarmor_1_1MemoryUse.html#ab67f9c68b38f4368f6d3aa64066e7e12", null ],
    [ "current_bytes", "structlarmor_1_1MemoryUse.html#a169050b6ecf9ed473f9654bf447a4fbb", null ],
    [ "peak_bytes", "structlarmor_1_1MemoryUse.html#a4b917b3843bf2849f13c7df122d0ef1f", null ]
];