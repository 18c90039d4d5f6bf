var searchData=
[
  ['papers_2c_20and_20the_20same_20problems_20here_0',['Papers, and the same problems here',['../md_docs_papers.html',1,'']]],
  ['performance_1',['Performance',['../md_docs_performance.html',1,'']]],
  ['physics_20beyond_20the_20fourier_20transform_2',['Physics beyond the Fourier transform',['../md_docs_physics.html',1,'']]],
  ['python_3',['Python',['../md_docs_python.html',1,'']]]
];
