var searchData=
[
  ['g_5ffactor_0',['g_factor',['../structlarmor_1_1QualityMaps.html#a635135953eb4380ecd01d48ff00fe155',1,'larmor::QualityMaps']]],
  ['generate_1',['generate',['../structlarmor_1_1ReadingOptions.html#a9d2a843cce69e2482c78d312797cd949',1,'larmor::ReadingOptions']]],
  ['geometric_5fcoils_2',['geometric_coils',['../structlarmor_1_1SeriesOptions.html#abe8a8148fc1b030545453bb17593603a',1,'larmor::SeriesOptions']]],
  ['geometric_5fcompression_3',['geometric_compression',['../structlarmor_1_1CoilOptions.html#a0afabb92f8d839a23253d61e12e505be',1,'larmor::CoilOptions']]],
  ['geometry_4',['geometry',['../structlarmor_1_1Image.html#aa90e1f7c82a9bb9703e6def98b32b5c6',1,'larmor::Image::geometry()'],['../structlarmor_1_1PlannedImage.html#aec32dfa9ecd57198b4ee03efa890fc69',1,'larmor::PlannedImage::geometry()']]],
  ['goal_5',['goal',['../structlarmor_1_1TuneOptions.html#a180497be29080c4c58e29904a664e0d9',1,'larmor::TuneOptions']]],
  ['gradient_6',['gradient',['../structlarmor_1_1SolverStep.html#a4b2d685c82b9921014c58cfdf8abc5f4',1,'larmor::SolverStep']]],
  ['gradient_5fresponse_7',['gradient_response',['../structlarmor_1_1ReadingOptions.html#a4dc9a939e95c54ffe5007db4ab1aac80',1,'larmor::ReadingOptions']]],
  ['grid_8',['grid',['../structlarmor_1_1PrepareOptions.html#ab6942523b8dd7317615faa18eb032c9c',1,'larmor::PrepareOptions::grid()'],['../structlarmor_1_1TuneTrial.html#aad00b9100d1127199f388f4337915ab9',1,'larmor::TuneTrial::grid()']]],
  ['gridding_9',['gridding',['../structlarmor_1_1SolveOptions.html#ae2cbee7e024fc379112164004e1b5b75',1,'larmor::SolveOptions']]],
  ['grids_10',['grids',['../structlarmor_1_1ScanPlan.html#a0e6e0b2d2451c76f199cc47b0e1d252c',1,'larmor::ScanPlan']]],
  ['group_11',['group',['../structlarmor_1_1IsmrmrdReadOptions.html#a2339c6c8e940a0e5be385bf4c7c2cd02',1,'larmor::IsmrmrdReadOptions']]]
];
