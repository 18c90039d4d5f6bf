var structlarmor_1_1DelayEstimate =
[
    [ "delay", "structlarmor_1_1DelayEstimate.html#a1bf9cfc49abd5b303dbf34805acbe3f2", null ],
    [ "deviation", "structlarmor_1_1DelayEstimate.html#a46484c4fbb324b66b600a15cd5ffdcd5", null ],
    [ "pairs", "structlarmor_1_1DelayEstimate.html#a120c69c9ed12f7fcdf2d2a542e454f62", null ]
];