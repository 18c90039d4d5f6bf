var searchData=
[
  ['has_0',['has',['../structlarmor_1_1ReadoutHeader.html#a79dc4d3d33b72c1f69e320c13421442d',1,'larmor::ReadoutHeader']]],
  ['has_5fframes_1',['has_frames',['../structlarmor_1_1ImageLayout.html#abec78384f56c25b88ca0ffeb7605dac1',1,'larmor::ImageLayout']]],
  ['has_5frecon_5fspace_2',['has_recon_space',['../structlarmor_1_1Encoding.html#ac30b887e53dc249ff166d7106a8c1c4f',1,'larmor::Encoding']]],
  ['header_3',['header',['../structlarmor_1_1Readout.html#a6226e0b8196770a00c9ba4fc3cc55e84',1,'larmor::Readout']]],
  ['held_4',['held',['../classlarmor_1_1Operator.html#ad07869b66ec9fea78af2b36f026ee793',1,'larmor::Operator']]],
  ['help_5',['help',['../structlarmor_1_1SolverRow.html#a131e5e70f07e4d7fd2bf2d6ed30cbbfd',1,'larmor::SolverRow::help()'],['../structlarmor_1_1RegularizerParameter.html#a1cb964bec2aec6fa3bbf29c0b0605e26',1,'larmor::RegularizerParameter::help()'],['../structlarmor_1_1RegularizerRow.html#a20d2ff8b7142c728931629e80074cd0d',1,'larmor::RegularizerRow::help()']]],
  ['helper_6',['helper',['../structlarmor_1_1IsmrmrdReadOptions.html#ade554aae8e4b955167d36185f4c75d48',1,'larmor::IsmrmrdReadOptions']]],
  ['history_7',['history',['../structlarmor_1_1ImageReport.html#a140be6679d6cd5092e45e99997c70b5d',1,'larmor::ImageReport::history()'],['../structlarmor_1_1SolverResult.html#ad4f29daa769002b2a618649ef2fdf75e',1,'larmor::SolverResult::history()']]],
  ['history_20of_20measurements_8',['History of measurements',['../md_bench_results_history.html',1,'']]],
  ['hooks_9',['hooks',['../structlarmor_1_1IrgnmOptions.html#ac9e904dde0129e5b48fde8373836729f',1,'larmor::IrgnmOptions::hooks()'],['../structlarmor_1_1SolverOptions.html#afb99b84dd2783c4a5a8884906563d592',1,'larmor::SolverOptions::hooks()']]],
  ['host_10',['host',['../classlarmor_1_1Context.html#acd80090212f67c42f9349c8e3a9fa310',1,'larmor::Context']]],
  ['how_11',['how',['../structlarmor_1_1Communicator_1_1Values.html#a06165123de864cd3bb8b81fc893e9db5',1,'larmor::Communicator::Values']]],
  ['hstack_12',['HStack',['../classlarmor_1_1HStack.html#a197f8369b2c57313cb593f55af75dcc1',1,'larmor::HStack::HStack()'],['../classlarmor_1_1HStack.html',1,'larmor::HStack&lt; T &gt;']]]
];
