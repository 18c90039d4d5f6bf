var searchData=
[
  ['z_0',['z',['../structlarmor_1_1GradientDelay.html#a3ce5a2777db22526bacfcb982bf26b38',1,'larmor::GradientDelay']]]
];
