var searchData=
[
  ['the_20nufft_0',['The NUFFT',['../md_docs_nufft.html',1,'']]],
  ['tuning_20the_20nufft_1',['Tuning the NUFFT',['../md_docs_tuning.html',1,'']]]
];
