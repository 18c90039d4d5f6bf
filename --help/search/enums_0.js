var searchData=
[
  ['element_0',['Element',['../classlarmor_1_1Communicator.html#a2ab2af9d6851c8be301801f103927191',1,'larmor::Communicator']]]
];
