var searchData=
[
  ['hasshape_0',['HasShape',['../conceptlarmor_1_1HasShape.html',1,'larmor']]],
  ['hostvalues_1',['HostValues',['../conceptlarmor_1_1HostValues.html',1,'larmor']]]
];
