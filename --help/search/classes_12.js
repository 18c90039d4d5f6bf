var searchData=
[
  ['unitdecision_0',['UnitDecision',['../structlarmor_1_1UnitDecision.html',1,'larmor']]],
  ['unitevidence_1',['UnitEvidence',['../structlarmor_1_1UnitEvidence.html',1,'larmor']]]
];
