var searchData=
[
  ['value_0',['value',['../classlarmor_1_1WaveletNorm.html#ab68cc2ba912f10245d042cb5925dd487',1,'larmor::WaveletNorm::value()'],['../classlarmor_1_1BlockNuclearNorm.html#a870feb996ae8f52ff3ecc960691acd32',1,'larmor::BlockNuclearNorm::value()'],['../classlarmor_1_1ProximalMap.html#a39feee886d50191a8335a60773cd401c',1,'larmor::ProximalMap::value()']]],
  ['values_1',['Values',['../structlarmor_1_1Communicator_1_1Values.html',1,'larmor::Communicator']]],
  ['vanishing_5fmoments_2',['vanishing_moments',['../structlarmor_1_1WaveletL1Options.html#a879e74c802a2797f0013ab23dca419d5',1,'larmor::WaveletL1Options::vanishing_moments()'],['../structlarmor_1_1WaveletOptions.html#ac9d80e7777309957c04edab8e51d08d6',1,'larmor::WaveletOptions::vanishing_moments()']]],
  ['vectors_3',['vectors',['../structlarmor_1_1Checkpoint.html#a1f7b83aef93495ecdcd314fa2d003dfe',1,'larmor::Checkpoint::vectors()'],['../structlarmor_1_1SubspaceBasis.html#af638b06e1378326d39e5b6f2b1ddd981',1,'larmor::SubspaceBasis::vectors()']]],
  ['version_4',['version',['../structlarmor_1_1ReadoutHeader.html#a0b7590b00dffd3825c85bfc4d4611a72',1,'larmor::ReadoutHeader']]],
  ['view_5',['View',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_6',['view',['../structlarmor_1_1FieldArrays.html#a9b3c7ab36305c10b7f89274801746f0c',1,'larmor::FieldArrays::view()'],['../classlarmor_1_1SharedArray.html#a50bd60994118192826865bb426ca6fe0',1,'larmor::SharedArray::view()'],['../classlarmor_1_1Array.html#a31535b9f77a986f3c57c6c35302301da',1,'larmor::Array::view() const'],['../classlarmor_1_1Array.html#a750b14861e4a040331ad71defd17e96a',1,'larmor::Array::view()']]],
  ['view_7',['View',['../classlarmor_1_1View.html#a347a438354c9e239881071ba21082b48',1,'larmor::View::View(Values &amp;&amp;values, const Shape &amp;shape)'],['../classlarmor_1_1View.html#ad3baec42660417f6e0a4ee27b14f34c5',1,'larmor::View::View(Values &amp;&amp;values)'],['../classlarmor_1_1View.html#a137389eae1f04f773638083ddc9e70e0',1,'larmor::View::View(const View&lt; U &gt; &amp;other)'],['../classlarmor_1_1View.html#abb0eef1aac3d45047040d1f3e1dea570',1,'larmor::View::View(T *data, const Shape &amp;shape, Device device={})']]],
  ['view_3c_20const_20c_20_3e_8',['View&lt; const C &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20double_20_3e_9',['View&lt; const double &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20float_20_3e_10',['View&lt; const float &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20std_3a_3acomplex_3c_20double_20_3e_20_3e_11',['View&lt; const std::complex&lt; double &gt; &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20std_3a_3acomplex_3c_20float_20_3e_20_3e_12',['View&lt; const std::complex&lt; float &gt; &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20std_3a_3acomplex_3c_20t_20_3e_20_3e_13',['View&lt; const std::complex&lt; T &gt; &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20t_20_3e_14',['View&lt; const T &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20double_20_3e_15',['View&lt; double &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20std_3a_3acomplex_3c_20double_20_3e_20_3e_16',['View&lt; std::complex&lt; double &gt; &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['virtual_5fcoils_17',['virtual_coils',['../structlarmor_1_1ChannelOptions.html#a46ba96cc18063973d15e1bb622f8211c',1,'larmor::ChannelOptions']]],
  ['volume_18',['volume',['../structlarmor_1_1Grids.html#ac0944eeb8f14bc4307a688761f9bab62',1,'larmor::Grids']]],
  ['vstack_19',['VStack',['../classlarmor_1_1VStack.html',1,'larmor::VStack&lt; T &gt;'],['../classlarmor_1_1VStack.html#a3f7234b7d3f27470da5e21e30dcf9739',1,'larmor::VStack::VStack()']]]
];
