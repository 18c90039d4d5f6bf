var searchData=
[
  ['calibrationoptions_0',['CalibrationOptions',['../structlarmor_1_1CalibrationOptions.html',1,'larmor']]],
  ['calibrationregion_1',['CalibrationRegion',['../structlarmor_1_1CalibrationRegion.html',1,'larmor']]],
  ['channeloptions_2',['ChannelOptions',['../structlarmor_1_1ChannelOptions.html',1,'larmor']]],
  ['channelplan_3',['ChannelPlan',['../structlarmor_1_1ChannelPlan.html',1,'larmor']]],
  ['checkpoint_4',['Checkpoint',['../structlarmor_1_1Checkpoint.html',1,'larmor']]],
  ['circulantpreconditioneroptions_5',['CirculantPreconditionerOptions',['../structlarmor_1_1CirculantPreconditionerOptions.html',1,'larmor']]],
  ['coilmaps_6',['CoilMaps',['../classlarmor_1_1CoilMaps.html',1,'larmor']]],
  ['coiloptions_7',['CoilOptions',['../structlarmor_1_1CoilOptions.html',1,'larmor']]],
  ['communicator_8',['Communicator',['../classlarmor_1_1Communicator.html',1,'larmor']]],
  ['complexvalue_9',['ComplexValue',['../structlarmor_1_1ComplexValue.html',1,'larmor']]],
  ['composition_10',['Composition',['../classlarmor_1_1Composition.html',1,'larmor']]],
  ['context_11',['Context',['../classlarmor_1_1Context.html',1,'larmor']]],
  ['contextoptions_12',['ContextOptions',['../structlarmor_1_1ContextOptions.html',1,'larmor']]],
  ['crop_13',['Crop',['../classlarmor_1_1Crop.html',1,'larmor']]]
];
