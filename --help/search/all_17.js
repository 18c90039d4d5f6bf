var searchData=
[
  ['x_0',['x',['../structlarmor_1_1DotPair.html#a7ad214c88e22e95a16d09335f0c1aea0',1,'larmor::DotPair::x()'],['../structlarmor_1_1ScaledVector.html#a9a84a0db7de2c206f672a9d79ca15e90',1,'larmor::ScaledVector::x()'],['../structlarmor_1_1NoiseInput.html#ac8e33be5b9e7a9c5b1d69e292d47c925',1,'larmor::NoiseInput::x()'],['../structlarmor_1_1GradientDelay.html#a158e209ec242d64dc9d07835a2f38e71',1,'larmor::GradientDelay::x()'],['../structlarmor_1_1SolverResult.html#a6b6bb73e9aa3890a6501d8f502761262',1,'larmor::SolverResult::x()']]],
  ['xml_5fheader_1',['xml_header',['../structlarmor_1_1Scan.html#a387ce3d0b30f7ca056d1c577ab0ec057',1,'larmor::Scan']]],
  ['xy_2',['xy',['../structlarmor_1_1GradientDelay.html#a3cdf40091b51c7d1a6bb591ea95d5336',1,'larmor::GradientDelay']]]
];
