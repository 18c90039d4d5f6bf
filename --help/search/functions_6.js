var searchData=
[
  ['goal_5fms_0',['goal_ms',['../structlarmor_1_1TuneTrial.html#a4db7d1d85e23251789eef3441bc33dc8',1,'larmor::TuneTrial']]],
  ['gradient_1',['Gradient',['../classlarmor_1_1Gradient.html#a8bfbc6ce4fbe9b486b64ba1cd15f7a07',1,'larmor::Gradient']]]
];
