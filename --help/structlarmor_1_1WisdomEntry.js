var structlarmor_1_1WisdomEntry =
[
    [ "operator==", "structlarmor_1_1WisdomEntry.html#a3531fe6c66a7e1bd4bb070b822a54add", null ],
    [ "numbers", "structlarmor_1_1WisdomEntry.html#a377669da1234063c981f8bebac90197a", null ],
    [ "words", "structlarmor_1_1WisdomEntry.html#a0863a6eea191b9ba92f62c5bdc1f48b5", null ]
];