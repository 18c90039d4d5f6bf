var searchData=
[
  ['balance_0',['balance',['../structlarmor_1_1SolverOptions.html#a445e8fe53b4fa3d86f21828f978a3e56',1,'larmor::SolverOptions']]],
  ['bandwidth_5ffactor_1',['bandwidth_factor',['../structlarmor_1_1ChannelPlan.html#a864392bf397f37b87549add93f738c0f',1,'larmor::ChannelPlan']]],
  ['basis_2',['basis',['../structlarmor_1_1TimeSegments.html#a586d24177856a35c9279cbe68d476519',1,'larmor::TimeSegments::basis()'],['../structlarmor_1_1SeriesOptions.html#a2052d73257438d9661dc5ddf9486bb68',1,'larmor::SeriesOptions::basis()'],['../structlarmor_1_1FrameOptions.html#ac682c87e0d2e89634f4f7e6bf6bff3e0',1,'larmor::FrameOptions::basis()'],['../structlarmor_1_1PlannedProblem.html#ab1cee0883da03f0c1b7633bd6914e190',1,'larmor::PlannedProblem::basis()']]],
  ['batch_3',['batch',['../structlarmor_1_1NufftOptions.html#aa460dbd25d6b367b48edd0a338bbfe59',1,'larmor::NufftOptions']]],
  ['begin_4',['begin',['../structlarmor_1_1StageSpan.html#a5eefca84c0f63c2b23f28553a178b9f6',1,'larmor::StageSpan']]],
  ['best_5',['best',['../structlarmor_1_1TikhonovChoice.html#a3987d5d3bd1b8c3a63f4d0fb86d82493',1,'larmor::TikhonovChoice']]],
  ['bins_6',['bins',['../structlarmor_1_1FrameOptions.html#a81a779dc1b825106fddb58eda3b888ca',1,'larmor::FrameOptions::bins()'],['../structlarmor_1_1SeriesChoice.html#a7a13490c6ea724dc5525b3fcf15fd6d2',1,'larmor::SeriesChoice::bins()']]],
  ['block_7',['block',['../structlarmor_1_1LocallyLowRankOptions.html#a01932681e4ea1a766761f8921b623e76',1,'larmor::LocallyLowRankOptions']]],
  ['byte_5flimit_8',['byte_limit',['../structlarmor_1_1NormalOptions.html#a3b20b8a9b810968c46166f8f8460ac96',1,'larmor::NormalOptions']]],
  ['bytes_9',['bytes',['../structlarmor_1_1MemoryPlan_1_1Item.html#ab0ceff4932a8d1dec2cbb687e366bd15',1,'larmor::MemoryPlan::Item::bytes()'],['../structlarmor_1_1TuneOptions.html#a8a846c53033e391e9a4859e6206cdb7d',1,'larmor::TuneOptions::bytes()'],['../structlarmor_1_1TuneTrial.html#a7a364277fad1003a1c5ddd65463f28a3',1,'larmor::TuneTrial::bytes()']]]
];
