var searchData=
[
  ['operators_0',['Operators',['../md_docs_operators.html',1,'']]]
];
