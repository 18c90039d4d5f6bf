var searchData=
[
  ['walshoptions_0',['WalshOptions',['../structlarmor_1_1WalshOptions.html',1,'larmor']]],
  ['wavelet_1',['Wavelet',['../classlarmor_1_1Wavelet.html',1,'larmor']]],
  ['waveletl1options_2',['WaveletL1Options',['../structlarmor_1_1WaveletL1Options.html',1,'larmor']]],
  ['waveletnorm_3',['WaveletNorm',['../classlarmor_1_1WaveletNorm.html',1,'larmor']]],
  ['waveletoptions_4',['WaveletOptions',['../structlarmor_1_1WaveletOptions.html',1,'larmor']]],
  ['wisdom_5',['Wisdom',['../classlarmor_1_1Wisdom.html',1,'larmor']]],
  ['wisdomentry_6',['WisdomEntry',['../structlarmor_1_1WisdomEntry.html',1,'larmor']]],
  ['writtenfiles_7',['WrittenFiles',['../structlarmor_1_1WrittenFiles.html',1,'larmor']]]
];
