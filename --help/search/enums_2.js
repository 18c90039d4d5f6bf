var searchData=
[
  ['source_0',['Source',['../structlarmor_1_1TrajectoryLayout.html#aec6618ce39b0f9d4fb401ad5df117b9d',1,'larmor::TrajectoryLayout']]]
];
