var structlarmor_1_1OutputOptions =
[
    [ "kind", "structlarmor_1_1OutputOptions.html#aaa8ab646d00507bb804da93fe40f4470", null ],
    [ "replicas", "structlarmor_1_1OutputOptions.html#afc0f0afef3dc73b58434578c7529b3b8", null ],
    [ "seed", "structlarmor_1_1OutputOptions.html#a8983e2ec3f1f3379228a0cb1ce995cc9", null ]
];