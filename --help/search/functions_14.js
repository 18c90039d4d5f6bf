var searchData=
[
  ['zero_0',['zero',['../structlarmor_1_1GradientDelay.html#adb13b5f9af39c2975cb2d6d182622a76',1,'larmor::GradientDelay']]]
];
