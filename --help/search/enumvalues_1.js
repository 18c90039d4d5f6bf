var searchData=
[
  ['ellipsoid_0',['ellipsoid',['../structlarmor_1_1PhantomPart.html#a81fa30fbe1dd8a0e464d5e3736f6775fa4f5231223a520c685d8bc27811a4415f',1,'larmor::PhantomPart']]]
];
