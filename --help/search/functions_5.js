var searchData=
[
  ['fail_0',['fail',['../classlarmor_1_1RankSegment.html#aec17f43470d7c91373f9b8f73bc42175',1,'larmor::RankSegment']]],
  ['failure_1',['failure',['../classlarmor_1_1RankSegment.html#afbac5ad309f6464504123f2a5a4844ac',1,'larmor::RankSegment']]],
  ['fft_2',['Fft',['../classlarmor_1_1Fft.html#a28b2384122147a4ed056c4d7175cb61c',1,'larmor::Fft']]],
  ['fftplan_3',['FftPlan',['../classlarmor_1_1FftPlan.html#a2603ac4663134817bd87442667378898',1,'larmor::FftPlan']]],
  ['find_4',['find',['../classlarmor_1_1Wisdom.html#a1238819a0dcc11771abe51b9865b1d38',1,'larmor::Wisdom::find()'],['../classlarmor_1_1ProblemSolution.html#ad7bf647f8aa0a5bab108ee796e0f3a12',1,'larmor::ProblemSolution::find()']]],
  ['forget_5fnorm_5',['forget_norm',['../classlarmor_1_1ProblemSolver.html#a4a576df6fdc8719ccf02e77f49f8b04d',1,'larmor::ProblemSolver']]],
  ['frames_6',['frames',['../structlarmor_1_1PlannedProblem.html#a9dee1ba0b3dd61d2c8edddab2982a3e2',1,'larmor::PlannedProblem::frames()'],['../structlarmor_1_1ImageLayout.html#a5d3798e6fdbc39c1af49000345ff3385',1,'larmor::ImageLayout::frames()']]]
];
