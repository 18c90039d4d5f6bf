var searchData=
[
  ['abort_0',['abort',['../classlarmor_1_1Communicator.html#a2f84d4cedfef205f5cda03bc987767de',1,'larmor::Communicator']]],
  ['about_1',['about',['../classlarmor_1_1Error.html#ae557ead016c9e4e5dcf9c5d1cd3595c6',1,'larmor::Error']]],
  ['add_2',['add',['../classlarmor_1_1MemoryPlan.html#ace57a7b763e95e869b6b1d0535440f34',1,'larmor::MemoryPlan']]],
  ['adjoint_3',['adjoint',['../classlarmor_1_1LinearOperator.html#a83356e9e82c6f920ecb83be3877dbc21',1,'larmor::LinearOperator::adjoint(View&lt; const Scalar &gt; y, View&lt; Scalar &gt; x, Context &amp;ctx, Write write=Write::overwrite) const'],['../classlarmor_1_1LinearOperator.html#a03b9fb8030cc104a599d75e6cfd03c49',1,'larmor::LinearOperator::adjoint(View&lt; const Scalar &gt; y, Context &amp;ctx) const']]],
  ['adjoint_4',['Adjoint',['../classlarmor_1_1Adjoint.html#a4cd03237cba7bfdc3fd59a087a0f77b6',1,'larmor::Adjoint']]],
  ['adopt_5flambda_5',['adopt_lambda',['../classlarmor_1_1ProblemSolver.html#a2720a44918c0bee2060325a6b7cee55a',1,'larmor::ProblemSolver']]],
  ['again_6',['again',['../classlarmor_1_1ProblemSolution.html#a469a9d5c190f88d90706dd4bd017b204',1,'larmor::ProblemSolution']]],
  ['agree_5fon_5fstatus_7',['agree_on_status',['../classlarmor_1_1Communicator.html#a23bd10bec573bc4c04a43ab4d7d6e06c',1,'larmor::Communicator']]],
  ['all_5freduce_8',['all_reduce',['../classlarmor_1_1Communicator.html#acef5d780f71d519b03fbf0e446a5b9ed',1,'larmor::Communicator::all_reduce(View&lt; T &gt; values, Reduction how=Reduction::sum)'],['../classlarmor_1_1Communicator.html#a87bbd34fb507013189c7f0de6146d2ac',1,'larmor::Communicator::all_reduce(double value, Reduction how=Reduction::sum)']]],
  ['apply_9',['apply',['../classlarmor_1_1LinearOperator.html#a042853634be59458083c1a6f91b7a1aa',1,'larmor::LinearOperator::apply()'],['../classlarmor_1_1WaveletNorm.html#a70ad605a156954d72447ff59669cfa04',1,'larmor::WaveletNorm::apply()'],['../classlarmor_1_1BlockNuclearNorm.html#accaf4ad28c593cde37ebe6a1134f26b0',1,'larmor::BlockNuclearNorm::apply()'],['../classlarmor_1_1ProximalMap.html#a5c9a0bf66160732d61d793460e20bf8f',1,'larmor::ProximalMap::apply()'],['../classlarmor_1_1LinearOperator.html#ad962e5c7b7dc2200297443fcf796bcab',1,'larmor::LinearOperator::apply(View&lt; const Scalar &gt; x, Context &amp;ctx) const'],['../classlarmor_1_1LinearOperator.html#a6145c025eaeb0f706338fe890a6402c3',1,'larmor::LinearOperator::apply(View&lt; const Scalar &gt; x, View&lt; Scalar &gt; y, Context &amp;ctx, Write write=Write::overwrite) const']]],
  ['arena_10',['arena',['../classlarmor_1_1Context.html#a5c0f1c3ecf09de34d06a4a7e2cd00d1a',1,'larmor::Context']]],
  ['arena_11',['Arena',['../classlarmor_1_1Arena.html#aff1b252b4c7e79ff9b2ab96b7986334f',1,'larmor::Arena::Arena(Device device)'],['../classlarmor_1_1Arena.html#a70442faea48f05b2278a50b088f16fc8',1,'larmor::Arena::Arena(const Arena &amp;)=delete']]],
  ['array_12',['Array',['../classlarmor_1_1Array.html#a2612e544856645479b374d056ed6b05c',1,'larmor::Array::Array()=default'],['../classlarmor_1_1Array.html#ad913519daa97b567394784d6c25733ef',1,'larmor::Array::Array(const Shape &amp;shape, Device device={}, Placement placement=Placement::device)'],['../classlarmor_1_1Array.html#aaabaf00f55a3226d008a5321684f4ca7',1,'larmor::Array::Array(Array &amp;&amp;other) noexcept']]],
  ['automatic_13',['automatic',['../structlarmor_1_1Device.html#ac74f2c800f4672dd65ee51c6cdd66697',1,'larmor::Device']]],
  ['axismatrix_14',['AxisMatrix',['../classlarmor_1_1AxisMatrix.html#ae20ce344470fa50175d84e354184e033',1,'larmor::AxisMatrix']]]
];
