var structlarmor_1_1ProblemList =
[
    [ "size", "structlarmor_1_1ProblemList.html#acd40d2cb53b1107d0c19b176de3428ee", null ],
    [ "images", "structlarmor_1_1ProblemList.html#ac144200531ae6b0caf79015ef8312bc8", null ],
    [ "order", "structlarmor_1_1ProblemList.html#a044b31e3250f7221749d60640e40a943", null ],
    [ "problems", "structlarmor_1_1ProblemList.html#ac7dbbbc6f5c8d8dd0e634b367e834d8a", null ],
    [ "summary", "structlarmor_1_1ProblemList.html#a5e33d896d3ec67818803e26d285134fc", null ]
];