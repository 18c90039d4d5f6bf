var searchData=
[
  ['values_0',['Values',['../structlarmor_1_1Communicator_1_1Values.html',1,'larmor::Communicator']]],
  ['view_1',['View',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20c_20_3e_2',['View&lt; const C &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20double_20_3e_3',['View&lt; const double &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20float_20_3e_4',['View&lt; const float &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20std_3a_3acomplex_3c_20double_20_3e_20_3e_5',['View&lt; const std::complex&lt; double &gt; &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20std_3a_3acomplex_3c_20float_20_3e_20_3e_6',['View&lt; const std::complex&lt; float &gt; &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20std_3a_3acomplex_3c_20t_20_3e_20_3e_7',['View&lt; const std::complex&lt; T &gt; &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20const_20t_20_3e_8',['View&lt; const T &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20double_20_3e_9',['View&lt; double &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['view_3c_20std_3a_3acomplex_3c_20double_20_3e_20_3e_10',['View&lt; std::complex&lt; double &gt; &gt;',['../classlarmor_1_1View.html',1,'larmor']]],
  ['vstack_11',['VStack',['../classlarmor_1_1VStack.html',1,'larmor']]]
];
