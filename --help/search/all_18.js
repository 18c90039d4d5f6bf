var searchData=
[
  ['y_0',['y',['../structlarmor_1_1DotPair.html#a85addbacb0195eedcbb2f0b32ecf7b7b',1,'larmor::DotPair::y()'],['../structlarmor_1_1ProblemSolver_1_1Data.html#adc6acc42f4ed407c8e6f0eaa32cd12cd',1,'larmor::ProblemSolver::Data::y()'],['../structlarmor_1_1GradientDelay.html#a43b018d8c81cf8aa52fa6654ba7affe6',1,'larmor::GradientDelay::y()']]]
];
