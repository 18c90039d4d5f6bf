var searchData=
[
  ['radialoptions_0',['RadialOptions',['../structlarmor_1_1RadialOptions.html',1,'larmor']]],
  ['rankoptions_1',['RankOptions',['../structlarmor_1_1RankOptions.html',1,'larmor']]],
  ['ranksegment_2',['RankSegment',['../classlarmor_1_1RankSegment.html',1,'larmor']]],
  ['readingoptions_3',['ReadingOptions',['../structlarmor_1_1ReadingOptions.html',1,'larmor']]],
  ['readout_4',['Readout',['../structlarmor_1_1Readout.html',1,'larmor']]],
  ['readoutheader_5',['ReadoutHeader',['../structlarmor_1_1ReadoutHeader.html',1,'larmor']]],
  ['reconstruction_6',['Reconstruction',['../structlarmor_1_1Reconstruction.html',1,'larmor']]],
  ['reconstructionpreview_7',['ReconstructionPreview',['../structlarmor_1_1ReconstructionPreview.html',1,'larmor']]],
  ['reconstructionreport_8',['ReconstructionReport',['../structlarmor_1_1ReconstructionReport.html',1,'larmor']]],
  ['reconstructoptions_9',['ReconstructOptions',['../structlarmor_1_1ReconstructOptions.html',1,'larmor']]],
  ['regularizer_10',['Regularizer',['../structlarmor_1_1Regularizer.html',1,'larmor']]],
  ['regularizer_3c_20double_20_3e_11',['Regularizer&lt; double &gt;',['../structlarmor_1_1Regularizer.html',1,'larmor']]],
  ['regularizer_3c_20float_20_3e_12',['Regularizer&lt; float &gt;',['../structlarmor_1_1Regularizer.html',1,'larmor']]],
  ['regularizerparameter_13',['RegularizerParameter',['../structlarmor_1_1RegularizerParameter.html',1,'larmor']]],
  ['regularizerrow_14',['RegularizerRow',['../structlarmor_1_1RegularizerRow.html',1,'larmor']]],
  ['regularizersetting_15',['RegularizerSetting',['../structlarmor_1_1RegularizerSetting.html',1,'larmor']]],
  ['regularizerspec_16',['RegularizerSpec',['../structlarmor_1_1RegularizerSpec.html',1,'larmor']]],
  ['remainder_17',['Remainder',['../classlarmor_1_1Remainder.html',1,'larmor']]],
  ['reporter_18',['Reporter',['../classlarmor_1_1Reporter.html',1,'larmor']]],
  ['reshaped_19',['Reshaped',['../classlarmor_1_1Reshaped.html',1,'larmor']]]
];
