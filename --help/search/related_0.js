var searchData=
[
  ['operator_2a_0',['operator*',['../structlarmor_1_1ComplexValue.html#a9a2a5bc3f0d0687e298ca4bc865548e3',1,'larmor::ComplexValue']]],
  ['operator_2b_1',['operator+',['../structlarmor_1_1ComplexValue.html#a6c0c98503504dac2bec703007c663dea',1,'larmor::ComplexValue']]],
  ['operator_2d_2',['operator-',['../structlarmor_1_1ComplexValue.html#ab3fc712b446f3c44797cfd2d8e7cca2d',1,'larmor::ComplexValue']]],
  ['operator_3c_3d_3e_3',['operator&lt;=&gt;',['../structlarmor_1_1ImageCounters.html#adf75142a1e4d4d61512dc19e594d4ede',1,'larmor::ImageCounters']]],
  ['operator_3d_3d_4',['operator==',['../structlarmor_1_1WisdomEntry.html#a3531fe6c66a7e1bd4bb070b822a54add',1,'larmor::WisdomEntry::operator==()'],['../structlarmor_1_1Device.html#a948a4389473fb48ad421aa35cc64fd83',1,'larmor::Device::operator==()'],['../classlarmor_1_1Shape.html#a832b1b789d3d727f94c9f5dfd84278ed',1,'larmor::Shape::operator==()'],['../structlarmor_1_1NormalOptions.html#ac543983af8ea0add8e74bc5f6f08ae81',1,'larmor::NormalOptions::operator==()']]]
];
