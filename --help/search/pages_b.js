var searchData=
[
  ['write_20your_20own_20reconstruction_0',['Write your own reconstruction',['../md_docs_reconstruction.html',1,'']]]
];
