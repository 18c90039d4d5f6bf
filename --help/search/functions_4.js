var searchData=
[
  ['empty_0',['empty',['../classlarmor_1_1Array.html#aedcb3be4b23ea0e3897092f40003e1d2',1,'larmor::Array::empty()'],['../classlarmor_1_1SharedArray.html#abbfd3b7d39dadb22c1b8e41f5bdb4e44',1,'larmor::SharedArray::empty()']]],
  ['end_1',['end',['../classlarmor_1_1View.html#acc1c2950cd941a4ca28076cac459a0e2',1,'larmor::View::end()'],['../classlarmor_1_1Array.html#abab58ade514437d6ed1f15f069eac028',1,'larmor::Array::end()'],['../classlarmor_1_1Array.html#a9fa77c350d45e2e949265f85e7ac55ca',1,'larmor::Array::end() const'],['../classlarmor_1_1Shape.html#a6626a812524a350d746104bff3baef69',1,'larmor::Shape::end()']]],
  ['error_2',['Error',['../classlarmor_1_1Error.html#a0f0e9e50993ece87faea0a1dc1fdf1f6',1,'larmor::Error']]],
  ['error_5fclass_3',['error_class',['../classlarmor_1_1Error.html#a677b476fd9a8a8c7fb6d62483347467c',1,'larmor::Error']]],
  ['everything_4',['everything',['../structlarmor_1_1IndexRange.html#a3fbca890fa82815e14bf44d9fc644b08',1,'larmor::IndexRange']]],
  ['execute_5',['execute',['../classlarmor_1_1LineFft.html#a00747d785fa80145a4468e5a9b34d4a6',1,'larmor::LineFft::execute()'],['../classlarmor_1_1FftPlan.html#a8572de27cefe7362d6c01ef57e42345c',1,'larmor::FftPlan::execute()']]],
  ['exit_5fcode_6',['exit_code',['../classlarmor_1_1Error.html#aaa6159ce63a6f5234c82b946c5845a3f',1,'larmor::Error']]]
];
