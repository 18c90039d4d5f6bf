var classlarmor_1_1RankSegment =
[
    [ "Failure", "structlarmor_1_1RankSegment_1_1Failure.html", "structlarmor_1_1RankSegment_1_1Failure" ],
    [ "RankSegment", "classlarmor_1_1RankSegment.html#ac2a109dc394db9b4d628cc256dddaea5", null ],
    [ "barrier", "classlarmor_1_1RankSegment.html#a174eb5b0a9cead16431e49095fbbb5a1", null ],
    [ "chunk", "classlarmor_1_1RankSegment.html#a8ef7c3a4583d3398185d8bc78585c0aa", null ],
    [ "descriptor", "classlarmor_1_1RankSegment.html#ad3b411fbc9ed45d3f9d8a5bcc03ae315", null ],
    [ "fail", "classlarmor_1_1RankSegment.html#aec17f43470d7c91373f9b8f73bc42175", null ],
    [ "failure", "classlarmor_1_1RankSegment.html#afbac5ad309f6464504123f2a5a4844ac", null ],
    [ "operator=", "classlarmor_1_1RankSegment.html#a41cc6a5fce4081ee1f7c70327d0dd027", null ],
    [ "ranks", "classlarmor_1_1RankSegment.html#a39e9b46e2160a353425edcdb35f1631c", null ],
    [ "result", "classlarmor_1_1RankSegment.html#a5329c119f6f609333af8faece12992dc", null ]
];