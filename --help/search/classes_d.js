var searchData=
[
  ['pad_0',['Pad',['../classlarmor_1_1Pad.html',1,'larmor']]],
  ['phantom_1',['Phantom',['../classlarmor_1_1Phantom.html',1,'larmor']]],
  ['phantompart_2',['PhantomPart',['../structlarmor_1_1PhantomPart.html',1,'larmor']]],
  ['pipemenonoptions_3',['PipeMenonOptions',['../structlarmor_1_1PipeMenonOptions.html',1,'larmor']]],
  ['plannedimage_4',['PlannedImage',['../structlarmor_1_1PlannedImage.html',1,'larmor']]],
  ['plannedproblem_5',['PlannedProblem',['../structlarmor_1_1PlannedProblem.html',1,'larmor']]],
  ['plannedseries_6',['PlannedSeries',['../structlarmor_1_1PlannedSeries.html',1,'larmor']]],
  ['preparedimage_7',['PreparedImage',['../structlarmor_1_1PreparedImage.html',1,'larmor']]],
  ['prepareoptions_8',['PrepareOptions',['../structlarmor_1_1PrepareOptions.html',1,'larmor']]],
  ['problem_9',['Problem',['../structlarmor_1_1Problem.html',1,'larmor']]],
  ['problemlist_10',['ProblemList',['../structlarmor_1_1ProblemList.html',1,'larmor']]],
  ['problemsizes_11',['ProblemSizes',['../structlarmor_1_1ProblemSizes.html',1,'larmor']]],
  ['problemsolution_12',['ProblemSolution',['../classlarmor_1_1ProblemSolution.html',1,'larmor']]],
  ['problemsolver_13',['ProblemSolver',['../classlarmor_1_1ProblemSolver.html',1,'larmor']]],
  ['proximalmap_14',['ProximalMap',['../classlarmor_1_1ProximalMap.html',1,'larmor']]]
];
