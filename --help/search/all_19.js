var searchData=
[
  ['z_0',['z',['../structlarmor_1_1GradientDelay.html#a3ce5a2777db22526bacfcb982bf26b38',1,'larmor::GradientDelay']]],
  ['zero_1',['zero',['../structlarmor_1_1GradientDelay.html#adb13b5f9af39c2975cb2d6d182622a76',1,'larmor::GradientDelay']]]
];
