var structlarmor_1_1PlannedImage =
[
    [ "acquisition_time_stamp", "structlarmor_1_1PlannedImage.html#aae2e79fbcf658dde319b7d57d1ece09f", null ],
    [ "counters", "structlarmor_1_1PlannedImage.html#a8dc05aa94f6362dd11cff1ff0dab1800", null ],
    [ "dropped", "structlarmor_1_1PlannedImage.html#ab9a2a3bb88c89c06e44f312412b15a4c", null ],
    [ "geometry", "structlarmor_1_1PlannedImage.html#aec32dfa9ecd57198b4ee03efa890fc69", null ],
    [ "readouts", "structlarmor_1_1PlannedImage.html#a75e0c87fbcc58964d0e05e558780781f", null ],
    [ "samples", "structlarmor_1_1PlannedImage.html#a3cbac68bfe6c7e11c340ece4721dd788", null ],
    [ "trajectory_id", "structlarmor_1_1PlannedImage.html#aa40773c3eb5ae0b48219b60673c383b4", null ]
];