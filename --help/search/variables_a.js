var searchData=
[
  ['k_0',['k',['../structlarmor_1_1Trajectory.html#a8d3bdb0b4836a78127f93a78a0e4ac10',1,'larmor::Trajectory']]],
  ['k_5fscale_1',['k_scale',['../structlarmor_1_1Grids.html#a0063081cd6ea67276f4abe0bff568e66',1,'larmor::Grids']]],
  ['keep_5fmap_5fenergy_2',['keep_map_energy',['../structlarmor_1_1SeriesOptions.html#ab102aa52ac9987cbd3cf98189814f3ea',1,'larmor::SeriesOptions']]],
  ['keep_5froot_5fdensity_3',['keep_root_density',['../structlarmor_1_1SeriesOptions.html#ae818762acb770f86c4a7ad843a713535',1,'larmor::SeriesOptions']]],
  ['kernel_4',['kernel',['../structlarmor_1_1EspiritOptions.html#a52874e4c34237bdce4a58d7fb411844b',1,'larmor::EspiritOptions::kernel()'],['../structlarmor_1_1NufftOptions.html#a1ea369eed121418196d34996199c7b39',1,'larmor::NufftOptions::kernel()']]],
  ['kernel_5freach_5',['kernel_reach',['../structlarmor_1_1PipeMenonOptions.html#a80210e59ec35eb256f05396c83d472b3',1,'larmor::PipeMenonOptions']]],
  ['key_6',['key',['../structlarmor_1_1TuneResult.html#a6a1777d9b1d4d44b6789d1ae3f6a12ca',1,'larmor::TuneResult::key()'],['../structlarmor_1_1RegularizerParameter.html#a751272ddb8448f29018ca023544abccd',1,'larmor::RegularizerParameter::key()']]],
  ['kind_7',['kind',['../structlarmor_1_1ImageSeries.html#ab828154f5515ec63ac4d1da24e5f9476',1,'larmor::ImageSeries::kind()'],['../structlarmor_1_1Device.html#a477f839529a598a09f5ca0bf008abd48',1,'larmor::Device::kind()'],['../structlarmor_1_1OutputOptions.html#aaa8ab646d00507bb804da93fe40f4470',1,'larmor::OutputOptions::kind()'],['../structlarmor_1_1PhantomPart.html#aa5dc31954c1a4a6f61c38354b7253b0a',1,'larmor::PhantomPart::kind()'],['../structlarmor_1_1RegularizerParameter.html#abbddedd06c883268080142e851ea3d98',1,'larmor::RegularizerParameter::kind()']]],
  ['krylov_5fvectors_8',['krylov_vectors',['../structlarmor_1_1MemoryDecision.html#a3e35f3d26c6973f0857470dc1c344fe3',1,'larmor::MemoryDecision']]],
  ['kspace_9',['kspace',['../structlarmor_1_1CalibrationRegion.html#a74763c9850a857fc43be67db0fcf59d2',1,'larmor::CalibrationRegion']]]
];
