var searchData=
[
  ['hstack_0',['HStack',['../classlarmor_1_1HStack.html',1,'larmor']]]
];
