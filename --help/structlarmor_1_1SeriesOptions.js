var structlarmor_1_1SeriesOptions =
[
    [ "basis", "structlarmor_1_1SeriesOptions.html#a2052d73257438d9661dc5ddf9486bb68", null ],
    [ "coil_block", "structlarmor_1_1SeriesOptions.html#aa9240fde8c27ad736a8eadb7f26b745b", null ],
    [ "decouple_slices", "structlarmor_1_1SeriesOptions.html#a8a7f543add4ecbee0a37deb8896e753e", null ],
    [ "field", "structlarmor_1_1SeriesOptions.html#ab8a897c54552fd9eb09aed1109de6362", null ],
    [ "frame_segments", "structlarmor_1_1SeriesOptions.html#aaadf26f9912674ced5d131d4f133ee43", null ],
    [ "geometric_coils", "structlarmor_1_1SeriesOptions.html#abe8a8148fc1b030545453bb17593603a", null ],
    [ "keep_map_energy", "structlarmor_1_1SeriesOptions.html#ab102aa52ac9987cbd3cf98189814f3ea", null ],
    [ "keep_root_density", "structlarmor_1_1SeriesOptions.html#ae818762acb770f86c4a7ad843a713535", null ],
    [ "nufft", "structlarmor_1_1SeriesOptions.html#acfde6f389e85478c77940ba643c97a38", null ],
    [ "planned_coils", "structlarmor_1_1SeriesOptions.html#a08f12876573a686f077ac304404a1049", null ],
    [ "segments", "structlarmor_1_1SeriesOptions.html#a6a0a29708a3b877cbf573f2c00be82f7", null ]
];