var searchData=
[
  ['cancelled_0',['cancelled',['../classlarmor_1_1Context.html#a5e1db4a3a767f449c01d1f8679546a07',1,'larmor::Context']]],
  ['capacity_1',['capacity',['../classlarmor_1_1Arena.html#aaa954740af9409c12cf71f82ab53666a',1,'larmor::Arena']]],
  ['charge_2',['charge',['../classlarmor_1_1StageClock.html#a871884ccbdc10c8f775c660d900b9d87',1,'larmor::StageClock']]],
  ['children_3',['children',['../classlarmor_1_1OperatorOfParts.html#ad947f36bb1185f5b28a239839281c840',1,'larmor::OperatorOfParts::children()'],['../classlarmor_1_1LinearOperator.html#ab0f6e8391e53ec0b2bb0050de84e6256',1,'larmor::LinearOperator::children()'],['../classlarmor_1_1Operator.html#aee5c694a4c8f3c24dede72ad5cc03668',1,'larmor::Operator::children()'],['../classlarmor_1_1SenseMatrixToeplitz.html#a1e70cff25794d3441926a0d3a4d2c803',1,'larmor::SenseMatrixToeplitz::children()']]],
  ['chunk_4',['chunk',['../classlarmor_1_1RankSegment.html#a8ef7c3a4583d3398185d8bc78585c0aa',1,'larmor::RankSegment']]],
  ['codomain_5',['codomain',['../classlarmor_1_1LinearOperator.html#a49951b23d568f976064ae3bea3f066de',1,'larmor::LinearOperator']]],
  ['coefficients_6',['coefficients',['../classlarmor_1_1BasisNufft.html#a8319391f970f7d542f2df1337a029519',1,'larmor::BasisNufft']]],
  ['coilmaps_7',['CoilMaps',['../classlarmor_1_1CoilMaps.html#a3238b162e879c53fa676f1b34ae7adaf',1,'larmor::CoilMaps::CoilMaps(std::shared_ptr&lt; const Array&lt; Scalar &gt; &gt; maps)'],['../classlarmor_1_1CoilMaps.html#adcd483f98680bd0167282944f5ea4b32',1,'larmor::CoilMaps::CoilMaps(Array&lt; Scalar &gt; maps)'],['../classlarmor_1_1CoilMaps.html#ae7a3fa56ba0e2d8008afb90e0214ec02',1,'larmor::CoilMaps::CoilMaps(View&lt; const Scalar &gt; maps)']]],
  ['coils_8',['coils',['../classlarmor_1_1Phantom.html#ab2623c529f3ae68da76b668241d72a9c',1,'larmor::Phantom::coils()'],['../classlarmor_1_1CoilMaps.html#a12870db8b477db6f08fff9b00f93130b',1,'larmor::CoilMaps::coils()']]],
  ['communicator_9',['Communicator',['../classlarmor_1_1Communicator.html#a44448d19e4d51ba03133b252870381b1',1,'larmor::Communicator']]],
  ['composition_10',['Composition',['../classlarmor_1_1Composition.html#a17f0a0f0d84337796cad1a3159501cb3',1,'larmor::Composition']]],
  ['contains_11',['contains',['../structlarmor_1_1IndexRange.html#af404b0945c9ea53eb2920d3873a6b6e4',1,'larmor::IndexRange']]],
  ['context_12',['Context',['../classlarmor_1_1Context.html#a81531e64a698a1f613ef91e5d57dae80',1,'larmor::Context']]],
  ['count_13',['count',['../structlarmor_1_1TimeSegments.html#a914816d88224cbd012f8a67cced3c893',1,'larmor::TimeSegments::count()'],['../structlarmor_1_1Frames.html#a746906d4dcd9d39fc1bab6f204b63e2f',1,'larmor::Frames::count()']]],
  ['cpu_14',['cpu',['../structlarmor_1_1Device.html#a5b5630fec7a2f32c2f2fe0fc625a4831',1,'larmor::Device']]],
  ['create_15',['create',['../classlarmor_1_1RankSegment.html#a930cf4bd77663c30f2f13297b1f04985',1,'larmor::RankSegment']]],
  ['crop_16',['Crop',['../classlarmor_1_1Crop.html#ac4cff1a2e6497f1f3c80ff1c854b28a3',1,'larmor::Crop']]],
  ['cuda_17',['cuda',['../structlarmor_1_1Device.html#afe93dc30ecaa62b4efcc8a63d165c41a',1,'larmor::Device']]]
];
