var classlarmor_1_1Sum =
[
    [ "Sum", "classlarmor_1_1Sum.html#a02d61691b871282d79498fd1444a2d81", null ],
    [ "name", "classlarmor_1_1Sum.html#a8636507e64ba7b43a454092b07bae244", null ],
    [ "run", "classlarmor_1_1Sum.html#af2d2fd58aba05cf187d0495d81f8df31", null ]
];