var searchData=
[
  ['unitdecision_0',['UnitDecision',['../structlarmor_1_1UnitDecision.html',1,'larmor']]],
  ['unitevidence_1',['UnitEvidence',['../structlarmor_1_1UnitEvidence.html',1,'larmor']]],
  ['units_2',['units',['../structlarmor_1_1PrepareOptions.html#ab44a4d5e20da7ab50cdae1728ebf6a53',1,'larmor::PrepareOptions::units()'],['../structlarmor_1_1ScanPlan.html#abc9eeb6eb00b8f8718cb97de66c02b21',1,'larmor::ScanPlan::units()'],['../structlarmor_1_1UnitDecision.html#a1d918f303821571af4bb6ba06bcf1673',1,'larmor::UnitDecision::units()']]],
  ['unknown_3',['unknown',['../structlarmor_1_1PlannedProblem.html#a6d9231c43f94ca3f9c3ff69b71ddf02c',1,'larmor::PlannedProblem::unknown()'],['../structlarmor_1_1ProblemSizes.html#afd2ec748be6eec1e99ad855bf77beb8d',1,'larmor::ProblemSizes::unknown()']]],
  ['unused_4',['unused',['../structlarmor_1_1SeriesSummary.html#a1a6810d4a1f21f064dcb71d3bde9bfe9',1,'larmor::SeriesSummary::unused()'],['../structlarmor_1_1Frames.html#aa93658d018fa4f2560e55889bec320cc',1,'larmor::Frames::unused()']]]
];
