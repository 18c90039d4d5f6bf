var structlarmor_1_1EstimatedMaps =
[
    [ "maps", "structlarmor_1_1EstimatedMaps.html#a611ba6ba4f799f85f0d3bd0a777e0404", null ],
    [ "selection", "structlarmor_1_1EstimatedMaps.html#af62bce6755b452eb17a8b05f6560b386", null ]
];