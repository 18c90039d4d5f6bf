var searchData=
[
  ['qualitymaps_0',['QualityMaps',['../structlarmor_1_1QualityMaps.html',1,'larmor']]]
];
