var searchData=
[
  ['matrixtoeplitz_0',['MatrixToeplitz',['../classlarmor_1_1MatrixToeplitz.html',1,'larmor']]],
  ['memorydecision_1',['MemoryDecision',['../structlarmor_1_1MemoryDecision.html',1,'larmor']]],
  ['memoryplan_2',['MemoryPlan',['../classlarmor_1_1MemoryPlan.html',1,'larmor']]],
  ['memoryuse_3',['MemoryUse',['../structlarmor_1_1MemoryUse.html',1,'larmor']]],
  ['modelinput_4',['ModelInput',['../structlarmor_1_1ModelInput.html',1,'larmor']]]
];
