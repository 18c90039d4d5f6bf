var searchData=
[
  ['join_5fimages_0',['join_images',['../structlarmor_1_1SeriesChoice.html#a38338379e488504098a520f9e0012090',1,'larmor::SeriesChoice']]],
  ['joint_1',['joint',['../structlarmor_1_1L1Options.html#ad1e6732dcc931d5896e9c9c95e86c5f5',1,'larmor::L1Options::joint()'],['../structlarmor_1_1TotalVariationOptions.html#a871e746e7aa4fd00b161bed6ec81feb9',1,'larmor::TotalVariationOptions::joint()'],['../structlarmor_1_1TotalGeneralisedVariationOptions.html#ae471c1198aa7f99e326a2820a85486e3',1,'larmor::TotalGeneralisedVariationOptions::joint()'],['../structlarmor_1_1WaveletL1Options.html#afee988c0160a863991380147a8bcf636',1,'larmor::WaveletL1Options::joint()']]]
];
