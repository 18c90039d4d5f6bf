var searchData=
[
  ['recipes_0',['Recipes',['../md_docs_recipes.html',1,'']]],
  ['regularisation_20terms_1',['Regularisation terms',['../md_docs_regularizers.html',1,'']]],
  ['reliability_2',['Reliability',['../md_docs_reliability.html',1,'']]],
  ['rooms_20and_20arrows_3',['Rooms and arrows',['../md_docs_architecture.html',1,'']]]
];
