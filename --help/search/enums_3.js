var searchData=
[
  ['toeplitz_0',['Toeplitz',['../structlarmor_1_1NormalOptions.html#a02aa6ba52f6cbc9ac1d01da450f31dff',1,'larmor::NormalOptions']]]
];
