var searchData=
[
  ['vanishing_5fmoments_0',['vanishing_moments',['../structlarmor_1_1WaveletOptions.html#ac9d80e7777309957c04edab8e51d08d6',1,'larmor::WaveletOptions::vanishing_moments()'],['../structlarmor_1_1WaveletL1Options.html#a879e74c802a2797f0013ab23dca419d5',1,'larmor::WaveletL1Options::vanishing_moments()']]],
  ['vectors_1',['vectors',['../structlarmor_1_1SubspaceBasis.html#af638b06e1378326d39e5b6f2b1ddd981',1,'larmor::SubspaceBasis::vectors()'],['../structlarmor_1_1Checkpoint.html#a1f7b83aef93495ecdcd314fa2d003dfe',1,'larmor::Checkpoint::vectors()']]],
  ['version_2',['version',['../structlarmor_1_1ReadoutHeader.html#a0b7590b00dffd3825c85bfc4d4611a72',1,'larmor::ReadoutHeader']]],
  ['virtual_5fcoils_3',['virtual_coils',['../structlarmor_1_1ChannelOptions.html#a46ba96cc18063973d15e1bb622f8211c',1,'larmor::ChannelOptions']]],
  ['volume_4',['volume',['../structlarmor_1_1Grids.html#ac0944eeb8f14bc4307a688761f9bab62',1,'larmor::Grids']]]
];
