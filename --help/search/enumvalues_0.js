var searchData=
[
  ['box_0',['box',['../structlarmor_1_1PhantomPart.html#a81fa30fbe1dd8a0e464d5e3736f6775fa34be958a921e43d813a2075297d8e862',1,'larmor::PhantomPart']]]
];
