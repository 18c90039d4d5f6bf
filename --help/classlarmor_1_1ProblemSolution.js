var classlarmor_1_1ProblemSolution =
[
    [ "C", "classlarmor_1_1ProblemSolution.html#ad77c7a0c0011599def4525fded75d5f8", null ],
    [ "ProblemSolution", "classlarmor_1_1ProblemSolution.html#a2639aecf0c41aa25495bbb402d580a5e", null ],
    [ "again", "classlarmor_1_1ProblemSolution.html#a469a9d5c190f88d90706dd4bd017b204", null ],
    [ "find", "classlarmor_1_1ProblemSolution.html#ad7bf647f8aa0a5bab108ee796e0f3a12", null ],
    [ "samples", "classlarmor_1_1ProblemSolution.html#a8c94f97e884e6e55fcd044407c6aed9e", null ]
];