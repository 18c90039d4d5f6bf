var searchData=
[
  ['pad_0',['Pad',['../classlarmor_1_1Pad.html#a50487fd430ddb14c5c673cc8b2760321',1,'larmor::Pad']]],
  ['parameter_1',['parameter',['../classlarmor_1_1Error.html#af690623cec132a86f71f35ab12932d63',1,'larmor::Error']]],
  ['parse_2',['parse',['../structlarmor_1_1Device.html#a350778b11b5cea0dfe2bc01dd02ee857',1,'larmor::Device']]],
  ['phantom_3',['Phantom',['../classlarmor_1_1Phantom.html#af84c1e08c3ac5bed0e92f7c65922b8ce',1,'larmor::Phantom']]],
  ['pixel_4',['pixel',['../structlarmor_1_1Grid.html#a028e1c484194b66cbc5261a987c0c97e',1,'larmor::Grid']]],
  ['pixels_5',['pixels',['../structlarmor_1_1ImageLayout.html#ab69c682fef4ec87fcb997b734f2e66e2',1,'larmor::ImageLayout']]],
  ['placement_6',['placement',['../classlarmor_1_1Array.html#a2a6f2b909424570e371b32c8e0ad78cc',1,'larmor::Array::placement()'],['../structlarmor_1_1MemoryDecision.html#a8df52199dcecbf16d614faa89b85b9be',1,'larmor::MemoryDecision::placement()'],['../classlarmor_1_1CoilMaps.html#ae5bc1b7d15e4d6fdab456c3b168e5579',1,'larmor::CoilMaps::placement()']]],
  ['pool_7',['pool',['../classlarmor_1_1Context.html#a26558fb3166f07d49d65c8cc56571632',1,'larmor::Context']]],
  ['prepend_8',['prepend',['../classlarmor_1_1Shape.html#a8ea5daf91dadf1eb0e4ee86016121922',1,'larmor::Shape']]],
  ['problemsolution_9',['ProblemSolution',['../classlarmor_1_1ProblemSolution.html#a2639aecf0c41aa25495bbb402d580a5e',1,'larmor::ProblemSolution']]],
  ['problemsolver_10',['ProblemSolver',['../classlarmor_1_1ProblemSolver.html#a48fc5b1c44c48612762e635bcafc813a',1,'larmor::ProblemSolver']]],
  ['progress_11',['progress',['../classlarmor_1_1Reporter.html#a1d6240bfee51c8e7ece6d80ff3d0df93',1,'larmor::Reporter']]]
];
