var searchData=
[
  ['givenprior_0',['GivenPrior',['../structlarmor_1_1GivenPrior.html',1,'larmor']]],
  ['gradient_1',['Gradient',['../classlarmor_1_1Gradient.html',1,'larmor']]],
  ['gradientdelay_2',['GradientDelay',['../structlarmor_1_1GradientDelay.html',1,'larmor']]],
  ['grid_3',['Grid',['../structlarmor_1_1Grid.html',1,'larmor']]],
  ['gridoptions_4',['GridOptions',['../structlarmor_1_1GridOptions.html',1,'larmor']]],
  ['grids_5',['Grids',['../structlarmor_1_1Grids.html',1,'larmor']]]
];
