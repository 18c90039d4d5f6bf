var searchData=
[
  ['adjoint_0',['Adjoint',['../classlarmor_1_1Adjoint.html',1,'larmor']]],
  ['arena_1',['Arena',['../classlarmor_1_1Arena.html',1,'larmor']]],
  ['array_2',['Array',['../classlarmor_1_1Array.html',1,'larmor']]],
  ['array_3c_20c_20_3e_3',['Array&lt; C &gt;',['../classlarmor_1_1Array.html',1,'larmor']]],
  ['array_3c_20double_20_3e_4',['Array&lt; double &gt;',['../classlarmor_1_1Array.html',1,'larmor']]],
  ['array_3c_20float_20_3e_5',['Array&lt; float &gt;',['../classlarmor_1_1Array.html',1,'larmor']]],
  ['array_3c_20std_3a_3acomplex_3c_20double_20_3e_20_3e_6',['Array&lt; std::complex&lt; double &gt; &gt;',['../classlarmor_1_1Array.html',1,'larmor']]],
  ['array_3c_20std_3a_3acomplex_3c_20float_20_3e_20_3e_7',['Array&lt; std::complex&lt; float &gt; &gt;',['../classlarmor_1_1Array.html',1,'larmor']]],
  ['array_3c_20std_3a_3acomplex_3c_20t_20_3e_20_3e_8',['Array&lt; std::complex&lt; T &gt; &gt;',['../classlarmor_1_1Array.html',1,'larmor']]],
  ['automaticcandidate_9',['AutomaticCandidate',['../structlarmor_1_1AutomaticCandidate.html',1,'larmor']]],
  ['automaticchoice_10',['AutomaticChoice',['../structlarmor_1_1AutomaticChoice.html',1,'larmor']]],
  ['axismatrix_11',['AxisMatrix',['../classlarmor_1_1AxisMatrix.html',1,'larmor']]]
];
