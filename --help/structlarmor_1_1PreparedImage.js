var structlarmor_1_1PreparedImage =
[
    [ "readout_starts", "structlarmor_1_1PreparedImage.html#a3965473d2d62fe241d63c6642a029cc1", null ],
    [ "samples", "structlarmor_1_1PreparedImage.html#a07e32aa921c2792001fcf287092f2745", null ],
    [ "times", "structlarmor_1_1PreparedImage.html#a11e4205e7edc1c2db69a3207fd238df6", null ],
    [ "trajectory", "structlarmor_1_1PreparedImage.html#a8fb197d880d57f20e1e4378e51b9b04d", null ],
    [ "weights", "structlarmor_1_1PreparedImage.html#a8a81ac9b01dd49277692a0dff5cfb5ea", null ]
];