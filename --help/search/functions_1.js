var searchData=
[
  ['barrier_0',['barrier',['../classlarmor_1_1RankSegment.html#a174eb5b0a9cead16431e49095fbbb5a1',1,'larmor::RankSegment::barrier()'],['../classlarmor_1_1Communicator.html#adebb9e4bffa3afe58f4228204396fca7',1,'larmor::Communicator::barrier()']]],
  ['basisnufft_1',['BasisNufft',['../classlarmor_1_1BasisNufft.html#a25f923d714459afb63c9f230355a8881',1,'larmor::BasisNufft']]],
  ['batch_2',['batch',['../classlarmor_1_1Wavelet.html#a862f0ee0c3d14ec492bfe02f3c657672',1,'larmor::Wavelet']]],
  ['batched_3',['Batched',['../classlarmor_1_1Batched.html#a665572bf4ce598eea527e4721e6a8ad5',1,'larmor::Batched']]],
  ['begin_4',['begin',['../classlarmor_1_1View.html#a5eb6e7b6cfb1fde84922e5e67758a457',1,'larmor::View::begin()'],['../classlarmor_1_1Array.html#a908538dc210bbf3627996c98a69919fe',1,'larmor::Array::begin()'],['../classlarmor_1_1Array.html#a74c465c509b79b27263e0652dd2c02bd',1,'larmor::Array::begin() const'],['../classlarmor_1_1Shape.html#a2e2c39b3d68a1b520ee1973fcf130cae',1,'larmor::Shape::begin()'],['../structlarmor_1_1SharedParts.html#a0ebc4ff055a9b055bc12b961b75b8b69',1,'larmor::SharedParts::begin()']]],
  ['best_5',['best',['../structlarmor_1_1AutomaticChoice.html#ac5a78e8c661a9c56b8c4062a84e7a15b',1,'larmor::AutomaticChoice']]],
  ['blockdiag_6',['BlockDiag',['../classlarmor_1_1BlockDiag.html#a545fd25787e94f7358a4bd39e2bdbb35',1,'larmor::BlockDiag']]],
  ['blocknuclearnorm_7',['BlockNuclearNorm',['../classlarmor_1_1BlockNuclearNorm.html#a894511a67a1df74d7fb5e378f3cbbde8',1,'larmor::BlockNuclearNorm']]],
  ['blocks_8',['Blocks',['../classlarmor_1_1Blocks.html#ab9cd876c8e263eb805db1c3f9f3bb1d6',1,'larmor::Blocks']]],
  ['borrowed_9',['borrowed',['../classlarmor_1_1SharedArray.html#abce9710068088b85f3e0e042d113f645',1,'larmor::SharedArray']]],
  ['broadcast_10',['broadcast',['../classlarmor_1_1Communicator.html#a719e5273e6d2862afbd86ce1aafe7f34',1,'larmor::Communicator::broadcast(View&lt; T &gt; values, int root)'],['../classlarmor_1_1Communicator.html#ac54be3f0a60253a1a00f73e1216438e8',1,'larmor::Communicator::broadcast(std::string text, int root)']]],
  ['broadcast_5fon_5fdevice_11',['broadcast_on_device',['../classlarmor_1_1Communicator.html#aa2ac7e6138d720e1c71c04095ae49aa4',1,'larmor::Communicator']]],
  ['broadcast_5fon_5fhost_12',['broadcast_on_host',['../classlarmor_1_1Communicator.html#af08522535fef99035e999f1ccf893e9e',1,'larmor::Communicator']]],
  ['bytes_13',['bytes',['../classlarmor_1_1View.html#ae38f87291c616b9a242b327faa9e7e26',1,'larmor::View::bytes()'],['../classlarmor_1_1Scratch.html#afc2ab38b04a35d5a3371efeb521aa2e1',1,'larmor::Scratch::bytes()']]]
];
