var searchData=
[
  ['c_0',['C',['../classlarmor_1_1ProblemSolver.html#aa5c3d44602b70bac226372addb295f09',1,'larmor::ProblemSolver::C()'],['../classlarmor_1_1ProblemSolution.html#ad77c7a0c0011599def4525fded75d5f8',1,'larmor::ProblemSolution::C()']]]
];
