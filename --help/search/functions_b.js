var searchData=
[
  ['maps_0',['maps',['../classlarmor_1_1Phantom.html#aca4fe6fa89f18bd7b45d7a59c116136b',1,'larmor::Phantom::maps()'],['../classlarmor_1_1CoilMaps.html#a33b57b11d1473494a24c51cb8b6d0084',1,'larmor::CoilMaps::maps()']]],
  ['matrixtoeplitz_1',['MatrixToeplitz',['../classlarmor_1_1MatrixToeplitz.html#aaf8a070019a5397b5bc7f28999a31df0',1,'larmor::MatrixToeplitz']]],
  ['measured_2',['measured',['../structlarmor_1_1TuneTrial.html#a3f84944c18ce2221a96a2b8b8c1ed019',1,'larmor::TuneTrial']]],
  ['measured_5ferror_3',['measured_error',['../classlarmor_1_1Nufft.html#aa2a3e6f5a8d24873be160b9dc7bf7056',1,'larmor::Nufft']]],
  ['memory_5flimit_4',['memory_limit',['../classlarmor_1_1Context.html#af42c59d3e8c644cd656fa6f957a0b86f',1,'larmor::Context']]],
  ['method_5',['method',['../classlarmor_1_1Nufft.html#a373db94cd83a093671cc3cb075f2f8b7',1,'larmor::Nufft']]],
  ['most_5fsamples_6',['most_samples',['../structlarmor_1_1ScanPlan.html#a46fb7d1a36fdae7406fbd071226d042c',1,'larmor::ScanPlan']]],
  ['move_5fto_7',['move_to',['../classlarmor_1_1NonlinearLeastSquares.html#a60d3d03febba057a33c5564289ba4f86',1,'larmor::NonlinearLeastSquares']]]
];
