var searchData=
[
  ['encoding_0',['Encoding',['../structlarmor_1_1Encoding.html',1,'larmor']]],
  ['error_1',['Error',['../classlarmor_1_1Error.html',1,'larmor']]],
  ['espiritoptions_2',['EspiritOptions',['../structlarmor_1_1EspiritOptions.html',1,'larmor']]],
  ['estimateddensity_3',['EstimatedDensity',['../structlarmor_1_1EstimatedDensity.html',1,'larmor']]],
  ['estimatedmaps_4',['EstimatedMaps',['../structlarmor_1_1EstimatedMaps.html',1,'larmor']]]
];
