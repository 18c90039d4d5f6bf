var searchData=
[
  ['several_20gpus_2c_20several_20processes_0',['Several GPUs, several processes',['../md_docs_cluster.html',1,'']]],
  ['solvers_1',['Solvers',['../md_docs_solvers.html',1,'']]]
];
