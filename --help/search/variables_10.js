var searchData=
[
  ['quadratic_0',['quadratic',['../structlarmor_1_1Regularizer.html#acabfc10edf9c80a3520ce384387799c6',1,'larmor::Regularizer']]],
  ['quality_1',['quality',['../structlarmor_1_1Reconstruction.html#a8f9a48c8dc5f6a470c5730ce007b859a',1,'larmor::Reconstruction']]]
];
