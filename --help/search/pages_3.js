var searchData=
[
  ['image_20quality_2c_20measured_0',['Image quality, measured',['../md_docs_quality.html',1,'']]]
];
