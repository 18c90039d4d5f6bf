var structlarmor_1_1TrajectoryLayout =
[
    [ "Source", "structlarmor_1_1TrajectoryLayout.html#aec6618ce39b0f9d4fb401ad5df117b9d", [
      [ "file", "structlarmor_1_1TrajectoryLayout.html#aec6618ce39b0f9d4fb401ad5df117b9da8c7dd922ad47494fc02c388e12c00eac", null ],
      [ "external", "structlarmor_1_1TrajectoryLayout.html#aec6618ce39b0f9d4fb401ad5df117b9da6a21b6995a068148bbb65c8f949b3fb2", null ],
      [ "generated", "structlarmor_1_1TrajectoryLayout.html#aec6618ce39b0f9d4fb401ad5df117b9da44c8575cd10d543dc1da875941b7dee3", null ]
    ] ],
    [ "column", "structlarmor_1_1TrajectoryLayout.html#ae5d705ce3cefa45dc86033ff97e6ef94", null ],
    [ "columns", "structlarmor_1_1TrajectoryLayout.html#a068cbcf71c69371e925ee2267b76f188", null ],
    [ "source", "structlarmor_1_1TrajectoryLayout.html#a019c527c616f941aeb0b07f664e9725a", null ],
    [ "stack", "structlarmor_1_1TrajectoryLayout.html#a3dbc60df082dcb7bd0556400c5a20b23", null ],
    [ "stack_centre", "structlarmor_1_1TrajectoryLayout.html#a782af05232ae4063bfc1f82d3a920163", null ],
    [ "text", "structlarmor_1_1TrajectoryLayout.html#a95a6301fb6fa6c08ed1ae24d8d9b0bfe", null ],
    [ "weight_column", "structlarmor_1_1TrajectoryLayout.html#af25c8a3a9bae1b7f0af2838baf3d49ce", null ]
];