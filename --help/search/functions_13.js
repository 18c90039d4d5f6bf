var searchData=
[
  ['warning_0',['warning',['../classlarmor_1_1Reporter.html#a9848184d5e146ab659ec374caa6f1caf',1,'larmor::Reporter']]],
  ['wavelet_1',['Wavelet',['../classlarmor_1_1Wavelet.html#a8a93335b4f70af350516c3c2709b0479',1,'larmor::Wavelet']]],
  ['waveletnorm_2',['WaveletNorm',['../classlarmor_1_1WaveletNorm.html#ac7ed1c6e4124bd502c9dc41d5bd42415',1,'larmor::WaveletNorm']]],
  ['with_5fbatch_3',['with_batch',['../classlarmor_1_1Nufft.html#afd6d4d7ccbda7dbb56418cb72fee813a',1,'larmor::Nufft']]]
];
