var searchData=
[
  ['wanted_0',['wanted',['../structlarmor_1_1TuneTrial.html#a098deb0a7ac27faa2dbcbdbb2d039ac1',1,'larmor::TuneTrial']]],
  ['warnings_1',['warnings',['../structlarmor_1_1Scan.html#a35b4f2a07a3746eadf05d652de50e7b6',1,'larmor::Scan::warnings()'],['../structlarmor_1_1WrittenFiles.html#a10446e5611726e9a754289312e89f5b7',1,'larmor::WrittenFiles::warnings()'],['../structlarmor_1_1Grids.html#af8bade483563fe7735c9c6aebd96eada',1,'larmor::Grids::warnings()'],['../structlarmor_1_1ScanPlan.html#a46f81ef6d64418e609c07210547a9d99',1,'larmor::ScanPlan::warnings()'],['../structlarmor_1_1ChannelPlan.html#a9c1f04775d5a101356f0f3783c13c8ca',1,'larmor::ChannelPlan::warnings()']]],
  ['weight_2',['weight',['../structlarmor_1_1FieldArrays.html#ad5181e4c5eac8a1426e2f903b63750d4',1,'larmor::FieldArrays::weight()'],['../structlarmor_1_1FieldMap.html#a83a3ae10296498b78e57bff6c7e2e49f',1,'larmor::FieldMap::weight()']]],
  ['weight_5fcolumn_3',['weight_column',['../structlarmor_1_1TrajectoryLayout.html#af25c8a3a9bae1b7f0af2838baf3d49ce',1,'larmor::TrajectoryLayout']]],
  ['weights_4',['weights',['../structlarmor_1_1EstimatedDensity.html#a754e41ce9940d2c381f4e581dbf2ffd9',1,'larmor::EstimatedDensity::weights()'],['../structlarmor_1_1PreparedImage.html#a8a81ac9b01dd49277692a0dff5cfb5ea',1,'larmor::PreparedImage::weights()'],['../structlarmor_1_1ReadingOptions.html#aeeffcf62c2ae866acfc71aa1ebfb3ae6',1,'larmor::ReadingOptions::weights()'],['../structlarmor_1_1SharedParts.html#a5cb1b9b00fa7d8ca3207d202f75ec7e0',1,'larmor::SharedParts::weights()']]],
  ['whiten_5',['whiten',['../structlarmor_1_1ChannelOptions.html#a759b9c2e2c1d786f0054179dd90b8f31',1,'larmor::ChannelOptions']]],
  ['whitened_6',['whitened',['../structlarmor_1_1ChannelPlan.html#a244931e9abe15d9262033ebed114f462',1,'larmor::ChannelPlan']]],
  ['width_7',['width',['../structlarmor_1_1TuneTrial.html#a39c36599f6624aaa27a167798f95705e',1,'larmor::TuneTrial']]],
  ['window_8',['window',['../structlarmor_1_1FrameOptions.html#a5cbd326fb97fa0c81dddfea077ec92f7',1,'larmor::FrameOptions::window()'],['../structlarmor_1_1SeriesChoice.html#a02dd23ab2207a0b472675563c30e2d5e',1,'larmor::SeriesChoice::window()']]],
  ['wisdom_9',['wisdom',['../structlarmor_1_1TuneOptions.html#acb940e3c16bd06bc086f9563010f32fb',1,'larmor::TuneOptions']]],
  ['words_10',['words',['../structlarmor_1_1WisdomEntry.html#a0863a6eea191b9ba92f62c5bdc1f48b5',1,'larmor::WisdomEntry']]]
];
