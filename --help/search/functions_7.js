var searchData=
[
  ['has_0',['has',['../structlarmor_1_1ReadoutHeader.html#a79dc4d3d33b72c1f69e320c13421442d',1,'larmor::ReadoutHeader']]],
  ['has_5fframes_1',['has_frames',['../structlarmor_1_1ImageLayout.html#abec78384f56c25b88ca0ffeb7605dac1',1,'larmor::ImageLayout']]],
  ['held_2',['held',['../classlarmor_1_1Operator.html#ad07869b66ec9fea78af2b36f026ee793',1,'larmor::Operator']]],
  ['host_3',['host',['../classlarmor_1_1Context.html#acd80090212f67c42f9349c8e3a9fa310',1,'larmor::Context']]],
  ['hstack_4',['HStack',['../classlarmor_1_1HStack.html#a197f8369b2c57313cb593f55af75dcc1',1,'larmor::HStack']]]
];
