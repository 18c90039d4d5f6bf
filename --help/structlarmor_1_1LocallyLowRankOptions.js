var structlarmor_1_1LocallyLowRankOptions =
[
    [ "block", "structlarmor_1_1LocallyLowRankOptions.html#a01932681e4ea1a766761f8921b623e76", null ],
    [ "lambda", "structlarmor_1_1LocallyLowRankOptions.html#a135bc2d14becacd2cef7ac817d25522c", null ],
    [ "shifts", "structlarmor_1_1LocallyLowRankOptions.html#ac271d68a082bb10bff7223bb353efdb3", null ]
];