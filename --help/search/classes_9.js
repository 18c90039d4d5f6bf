var searchData=
[
  ['l1options_0',['L1Options',['../structlarmor_1_1L1Options.html',1,'larmor']]],
  ['lambdachoice_1',['LambdaChoice',['../structlarmor_1_1LambdaChoice.html',1,'larmor']]],
  ['lambdasearchoptions_2',['LambdaSearchOptions',['../structlarmor_1_1LambdaSearchOptions.html',1,'larmor']]],
  ['lambdatrial_3',['LambdaTrial',['../structlarmor_1_1LambdaTrial.html',1,'larmor']]],
  ['linearoperator_4',['LinearOperator',['../classlarmor_1_1LinearOperator.html',1,'larmor']]],
  ['linearoperator_3c_20double_20_3e_5',['LinearOperator&lt; double &gt;',['../classlarmor_1_1LinearOperator.html',1,'larmor']]],
  ['linearoperator_3c_20float_20_3e_6',['LinearOperator&lt; float &gt;',['../classlarmor_1_1LinearOperator.html',1,'larmor']]],
  ['linefft_7',['LineFft',['../classlarmor_1_1LineFft.html',1,'larmor']]],
  ['locallylowrankoptions_8',['LocallyLowRankOptions',['../structlarmor_1_1LocallyLowRankOptions.html',1,'larmor']]],
  ['loopbody_9',['LoopBody',['../classlarmor_1_1LoopBody.html',1,'larmor']]],
  ['lowranksparseoptions_10',['LowRankSparseOptions',['../structlarmor_1_1LowRankSparseOptions.html',1,'larmor']]]
];
