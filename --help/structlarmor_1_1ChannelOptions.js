var structlarmor_1_1ChannelOptions =
[
    [ "noise", "structlarmor_1_1ChannelOptions.html#af86d09b32bd47e34c158c0dc8b48b556", null ],
    [ "virtual_coils", "structlarmor_1_1ChannelOptions.html#a46ba96cc18063973d15e1bb622f8211c", null ],
    [ "whiten", "structlarmor_1_1ChannelOptions.html#a759b9c2e2c1d786f0054179dd90b8f31", null ]
];