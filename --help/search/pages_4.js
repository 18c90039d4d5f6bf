var searchData=
[
  ['larmor_0',['Larmor',['../md_README.html',1,'']]],
  ['larmor_27s_20documentation_1',['Larmor&apos;s documentation',['../index.html',1,'']]]
];
