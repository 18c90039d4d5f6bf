var searchData=
[
  ['basisnufft_0',['BasisNufft',['../classlarmor_1_1BasisNufft.html',1,'larmor']]],
  ['batched_1',['Batched',['../classlarmor_1_1Batched.html',1,'larmor']]],
  ['blockdiag_2',['BlockDiag',['../classlarmor_1_1BlockDiag.html',1,'larmor']]],
  ['blocknuclearnorm_3',['BlockNuclearNorm',['../classlarmor_1_1BlockNuclearNorm.html',1,'larmor']]],
  ['blocks_4',['Blocks',['../classlarmor_1_1Blocks.html',1,'larmor']]]
];
