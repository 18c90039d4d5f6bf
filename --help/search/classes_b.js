var searchData=
[
  ['noiseinput_0',['NoiseInput',['../structlarmor_1_1NoiseInput.html',1,'larmor']]],
  ['nonlinearleastsquares_1',['NonlinearLeastSquares',['../classlarmor_1_1NonlinearLeastSquares.html',1,'larmor']]],
  ['normaloptions_2',['NormalOptions',['../structlarmor_1_1NormalOptions.html',1,'larmor']]],
  ['normaltrial_3',['NormalTrial',['../structlarmor_1_1NormalTrial.html',1,'larmor']]],
  ['nudft_4',['Nudft',['../classlarmor_1_1Nudft.html',1,'larmor']]],
  ['nufft_5',['Nufft',['../classlarmor_1_1Nufft.html',1,'larmor']]],
  ['nufftoptions_6',['NufftOptions',['../structlarmor_1_1NufftOptions.html',1,'larmor']]]
];
