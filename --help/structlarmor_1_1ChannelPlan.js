var structlarmor_1_1ChannelPlan =
[
    [ "bandwidth_factor", "structlarmor_1_1ChannelPlan.html#a864392bf397f37b87549add93f738c0f", null ],
    [ "coils", "structlarmor_1_1ChannelPlan.html#a8d7b980abc7cd742b1c786f1d776abc1", null ],
    [ "compression_energy", "structlarmor_1_1ChannelPlan.html#ab92c0840f6eae4eed0782767058c0421", null ],
    [ "covariance", "structlarmor_1_1ChannelPlan.html#a0e4fd0d7393616dfe85727e02ae3637f", null ],
    [ "estimated", "structlarmor_1_1ChannelPlan.html#ac5fc9537bea07b8620a0644db360ee02", null ],
    [ "inverse", "structlarmor_1_1ChannelPlan.html#ad9cc72d006dcf12caed08ea796b6b282", null ],
    [ "matrix", "structlarmor_1_1ChannelPlan.html#a5a6c205c0231b51ebcd1702fba058c3f", null ],
    [ "noise_deviation", "structlarmor_1_1ChannelPlan.html#a2b0179ff37d532097b3f53c72d8c73a3", null ],
    [ "noise_samples", "structlarmor_1_1ChannelPlan.html#a7c4cf246d272084c35d6f1b7596e9dbf", null ],
    [ "notes", "structlarmor_1_1ChannelPlan.html#aaeafd8053857dfdaa583bcb0b9b17db4", null ],
    [ "outer_variance", "structlarmor_1_1ChannelPlan.html#aae691600601d38b489c531a8e1046a3c", null ],
    [ "warnings", "structlarmor_1_1ChannelPlan.html#a9c1f04775d5a101356f0f3783c13c8ca", null ],
    [ "whitened", "structlarmor_1_1ChannelPlan.html#a244931e9abe15d9262033ebed114f462", null ]
];