var searchData=
[
  ['has_5frecon_5fspace_0',['has_recon_space',['../structlarmor_1_1Encoding.html#ac30b887e53dc249ff166d7106a8c1c4f',1,'larmor::Encoding']]],
  ['header_1',['header',['../structlarmor_1_1Readout.html#a6226e0b8196770a00c9ba4fc3cc55e84',1,'larmor::Readout']]],
  ['help_2',['help',['../structlarmor_1_1SolverRow.html#a131e5e70f07e4d7fd2bf2d6ed30cbbfd',1,'larmor::SolverRow::help()'],['../structlarmor_1_1RegularizerParameter.html#a1cb964bec2aec6fa3bbf29c0b0605e26',1,'larmor::RegularizerParameter::help()'],['../structlarmor_1_1RegularizerRow.html#a20d2ff8b7142c728931629e80074cd0d',1,'larmor::RegularizerRow::help()']]],
  ['helper_3',['helper',['../structlarmor_1_1IsmrmrdReadOptions.html#ade554aae8e4b955167d36185f4c75d48',1,'larmor::IsmrmrdReadOptions']]],
  ['history_4',['history',['../structlarmor_1_1ImageReport.html#a140be6679d6cd5092e45e99997c70b5d',1,'larmor::ImageReport::history()'],['../structlarmor_1_1SolverResult.html#ad4f29daa769002b2a618649ef2fdf75e',1,'larmor::SolverResult::history()']]],
  ['hooks_5',['hooks',['../structlarmor_1_1IrgnmOptions.html#ac9e904dde0129e5b48fde8373836729f',1,'larmor::IrgnmOptions::hooks()'],['../structlarmor_1_1SolverOptions.html#afb99b84dd2783c4a5a8884906563d592',1,'larmor::SolverOptions::hooks()']]],
  ['how_6',['how',['../structlarmor_1_1Communicator_1_1Values.html#a06165123de864cd3bb8b81fc893e9db5',1,'larmor::Communicator::Values']]]
];
