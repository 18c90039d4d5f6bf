var structlarmor_1_1PlannedSeries =
[
    [ "frames", "structlarmor_1_1PlannedSeries.html#a9d84b9825fb1a2afda8b6d0a525605ab", null ],
    [ "images", "structlarmor_1_1PlannedSeries.html#a3a4a9524c875532060fb756e767e5650", null ],
    [ "shape", "structlarmor_1_1PlannedSeries.html#a17a50e5a8e8fc559e549ed4915b2958b", null ],
    [ "slice", "structlarmor_1_1PlannedSeries.html#a0d441b486160401348bb1a27094ff741", null ]
];