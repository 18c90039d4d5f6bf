var searchData=
[
  ['failure_0',['Failure',['../structlarmor_1_1RankSegment_1_1Failure.html',1,'larmor::RankSegment']]],
  ['fft_1',['Fft',['../classlarmor_1_1Fft.html',1,'larmor']]],
  ['fftplan_2',['FftPlan',['../classlarmor_1_1FftPlan.html',1,'larmor']]],
  ['fieldarrays_3',['FieldArrays',['../structlarmor_1_1FieldArrays.html',1,'larmor']]],
  ['fieldmap_4',['FieldMap',['../structlarmor_1_1FieldMap.html',1,'larmor']]],
  ['foundlambda_5',['FoundLambda',['../structlarmor_1_1FoundLambda.html',1,'larmor']]],
  ['frameoptions_6',['FrameOptions',['../structlarmor_1_1FrameOptions.html',1,'larmor']]],
  ['frames_7',['Frames',['../structlarmor_1_1Frames.html',1,'larmor']]],
  ['framesegments_8',['FrameSegments',['../structlarmor_1_1FrameSegments.html',1,'larmor']]],
  ['framewindow_9',['FrameWindow',['../structlarmor_1_1FrameWindow.html',1,'larmor']]]
];
