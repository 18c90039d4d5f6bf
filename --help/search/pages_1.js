var searchData=
[
  ['c_0',['C',['../md_docs_c.html',1,'']]],
  ['conventions_1',['Conventions',['../md_core_conventions.html',1,'']]]
];
