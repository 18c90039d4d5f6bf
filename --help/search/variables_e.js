var searchData=
[
  ['objective_0',['objective',['../structlarmor_1_1SolverOptions.html#ad15f0effabcfd00acb49e8103ca6f394',1,'larmor::SolverOptions::objective()'],['../structlarmor_1_1SolverStep.html#adf1da81ce9ed8517b36be21206dd226c',1,'larmor::SolverStep::objective()']]],
  ['operator_5fnorm_5fsquared_1',['operator_norm_squared',['../structlarmor_1_1ImageReport.html#a4702a7a0a09dae69e0f551a4174a5787',1,'larmor::ImageReport::operator_norm_squared()'],['../structlarmor_1_1SolverResult.html#a2274433ba35dcd61e34057a9d13301bc',1,'larmor::SolverResult::operator_norm_squared()']]],
  ['options_2',['options',['../structlarmor_1_1ModelInput.html#ad87e806038587c2a44ef77147c3e8ef2',1,'larmor::ModelInput::options()'],['../structlarmor_1_1TuneResult.html#ac9e3c56c26abf5a406c25ef1cd313544',1,'larmor::TuneResult::options()'],['../structlarmor_1_1NormalTrial.html#adc29c38347e156f6d352304b9201e97b',1,'larmor::NormalTrial::options()']]],
  ['order_3',['order',['../structlarmor_1_1SimulationOptions.html#ac5b8966aa783fe2743bcf5dc0d7c1527',1,'larmor::SimulationOptions::order()'],['../structlarmor_1_1RadialOptions.html#a5697fc18cd1526e924d7517380af6e5f',1,'larmor::RadialOptions::order()'],['../structlarmor_1_1ProblemList.html#a044b31e3250f7221749d60640e40a943',1,'larmor::ProblemList::order()']]],
  ['ordinal_4',['ordinal',['../structlarmor_1_1Device.html#ad7d87a0c8aac6229a2d3cb5f74dc0753',1,'larmor::Device']]],
  ['orientation_5fknown_5',['orientation_known',['../structlarmor_1_1ImageGeometry.html#a1c300e9ee4bec4ae248b63ac4225cc78',1,'larmor::ImageGeometry']]],
  ['outer_5fvariance_6',['outer_variance',['../structlarmor_1_1ChannelPlan.html#aae691600601d38b489c531a8e1046a3c',1,'larmor::ChannelPlan']]],
  ['output_7',['output',['../structlarmor_1_1ReconstructOptions.html#a583e9454f94253760c63facaf7b5716e',1,'larmor::ReconstructOptions']]],
  ['oversampling_8',['oversampling',['../structlarmor_1_1NufftOptions.html#ac5bb92d7b27c6af84c1690638bfab85a',1,'larmor::NufftOptions::oversampling()'],['../structlarmor_1_1TuneOptions.html#ada1883d4f87a549b5ba6ff832f277b35',1,'larmor::TuneOptions::oversampling()'],['../structlarmor_1_1TuneTrial.html#a80775874f80a0cde4380a7a030ef7f5c',1,'larmor::TuneTrial::oversampling()']]]
];
