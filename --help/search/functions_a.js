var searchData=
[
  ['lambda_5fchoice_0',['lambda_choice',['../classlarmor_1_1ProblemSolver.html#a9b399c06fead264bf7099b69a13ab281',1,'larmor::ProblemSolver']]],
  ['lambda_5ffound_1',['lambda_found',['../classlarmor_1_1ProblemSolver.html#a681097670d386ef8845ed690b1fb81dd',1,'larmor::ProblemSolver']]],
  ['length_2',['length',['../classlarmor_1_1LineFft.html#ab373aa4a1d3186cdf53fe0367c40c420',1,'larmor::LineFft']]],
  ['levels_3',['levels',['../classlarmor_1_1Wavelet.html#af3ddc6a062e4a12833e2798ce3b682fb',1,'larmor::Wavelet']]],
  ['linearoperator_4',['LinearOperator',['../classlarmor_1_1LinearOperator.html#a05ddb323e705d13c28536e9ec8952855',1,'larmor::LinearOperator']]],
  ['linefft_5',['LineFft',['../classlarmor_1_1LineFft.html#a29c3d323ad2747aa9d1eb346b05045b1',1,'larmor::LineFft']]],
  ['lines_6',['lines',['../classlarmor_1_1LineFft.html#ab65c13a8fc0fba27b2589752ea21d039',1,'larmor::LineFft']]],
  ['loopbody_7',['LoopBody',['../classlarmor_1_1LoopBody.html#adfc05120e3b59e395c6fbdf0524eaac4',1,'larmor::LoopBody']]]
];
