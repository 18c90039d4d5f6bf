var structlarmor_1_1Communicator_1_1Values =
[
    [ "count", "structlarmor_1_1Communicator_1_1Values.html#aea3c32ee122199c9a926cde715e90fdf", null ],
    [ "data", "structlarmor_1_1Communicator_1_1Values.html#afbca4b048a43030ec8e4764360126dc4", null ],
    [ "element", "structlarmor_1_1Communicator_1_1Values.html#aeb3da23a7b804ed0bb630ed72a07d7fb", null ],
    [ "how", "structlarmor_1_1Communicator_1_1Values.html#a06165123de864cd3bb8b81fc893e9db5", null ]
];