var searchData=
[
  ['gaussian_0',['gaussian',['../structlarmor_1_1PhantomPart.html#a81fa30fbe1dd8a0e464d5e3736f6775fa304e2a3b544f6b9f267a151e1bcee487',1,'larmor::PhantomPart']]]
];
