var searchData=
[
  ['kernel_5fwidth_0',['kernel_width',['../classlarmor_1_1Nufft.html#a43c7809844b7f078da231ed34acd461b',1,'larmor::Nufft']]],
  ['know_5fnorm_1',['know_norm',['../classlarmor_1_1ProblemSolver.html#aa2f8bfa878bef6905661475841ea8e32',1,'larmor::ProblemSolver']]],
  ['kspace_2',['kspace',['../classlarmor_1_1Phantom.html#a4927c09746686f4a5c4cd21efbc35441',1,'larmor::Phantom']]]
];
