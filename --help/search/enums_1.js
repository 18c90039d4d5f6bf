var searchData=
[
  ['kind_0',['Kind',['../structlarmor_1_1Device.html#a5eb56550374d93adc4a81c9bb108a553',1,'larmor::Device::Kind()'],['../structlarmor_1_1PhantomPart.html#a81fa30fbe1dd8a0e464d5e3736f6775f',1,'larmor::PhantomPart::Kind()'],['../structlarmor_1_1RegularizerParameter.html#a0b195c4d3bb07145aab2dd594ddce4b5',1,'larmor::RegularizerParameter::Kind()']]]
];
