var searchData=
[
  ['building_20and_20checking_0',['Building and checking',['../md_docs_building.html',1,'']]]
];
