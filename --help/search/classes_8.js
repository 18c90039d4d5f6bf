var searchData=
[
  ['identity_0',['Identity',['../classlarmor_1_1Identity.html',1,'larmor']]],
  ['image_1',['Image',['../structlarmor_1_1Image.html',1,'larmor']]],
  ['imagecounters_2',['ImageCounters',['../structlarmor_1_1ImageCounters.html',1,'larmor']]],
  ['imagegeometry_3',['ImageGeometry',['../structlarmor_1_1ImageGeometry.html',1,'larmor']]],
  ['imagelayout_4',['ImageLayout',['../structlarmor_1_1ImageLayout.html',1,'larmor']]],
  ['imagereport_5',['ImageReport',['../structlarmor_1_1ImageReport.html',1,'larmor']]],
  ['imageseries_6',['ImageSeries',['../structlarmor_1_1ImageSeries.html',1,'larmor']]],
  ['indexrange_7',['IndexRange',['../structlarmor_1_1IndexRange.html',1,'larmor']]],
  ['irgnmoptions_8',['IrgnmOptions',['../structlarmor_1_1IrgnmOptions.html',1,'larmor']]],
  ['ismrmrdreadoptions_9',['IsmrmrdReadOptions',['../structlarmor_1_1IsmrmrdReadOptions.html',1,'larmor']]],
  ['item_10',['Item',['../structlarmor_1_1MemoryPlan_1_1Item.html',1,'larmor::MemoryPlan']]]
];
