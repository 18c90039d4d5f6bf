var searchData=
[
  ['data_0',['Data',['../structlarmor_1_1ProblemSolver_1_1Data.html',1,'larmor::ProblemSolver']]],
  ['delayestimate_1',['DelayEstimate',['../structlarmor_1_1DelayEstimate.html',1,'larmor']]],
  ['device_2',['Device',['../structlarmor_1_1Device.html',1,'larmor']]],
  ['diagonal_3',['Diagonal',['../classlarmor_1_1Diagonal.html',1,'larmor']]],
  ['dotpair_4',['DotPair',['../structlarmor_1_1DotPair.html',1,'larmor']]]
];
