var structlarmor_1_1TimeSegments =
[
    [ "count", "structlarmor_1_1TimeSegments.html#a914816d88224cbd012f8a67cced3c893", null ],
    [ "basis", "structlarmor_1_1TimeSegments.html#a586d24177856a35c9279cbe68d476519", null ],
    [ "centre_hz", "structlarmor_1_1TimeSegments.html#a6c1ef385fddbf79f355801a4c39c3614", null ],
    [ "expected_error", "structlarmor_1_1TimeSegments.html#a78c46d725e97a51135e6416f77cccd0e", null ],
    [ "images", "structlarmor_1_1TimeSegments.html#aad9df5dd00793fd166a5dca9cf7a216d", null ]
];