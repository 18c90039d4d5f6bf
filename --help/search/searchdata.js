var indexSectionsWithContent =
{
  0: "abcdefghijklmnopqrstuvwxyz",
  1: "abcdefghilmnopqrstuvw",
  2: "abcdefghiklmnoprstvwz",
  3: "abcdefghijklmnopqrstuvwxyz",
  4: "c",
  5: "ekst",
  6: "beg",
  7: "o",
  8: "bchilmoprstw",
  9: "l"
};

var indexSectionNames =
{
  0: "all",
  1: "classes",
  2: "functions",
  3: "variables",
  4: "typedefs",
  5: "enums",
  6: "enumvalues",
  7: "related",
  8: "pages",
  9: "concepts"
};

var indexSectionLabels =
{
  0: "All",
  1: "Classes",
  2: "Functions",
  3: "Variables",
  4: "Typedefs",
  5: "Enumerations",
  6: "Enumerator",
  7: "Friends",
  8: "Pages",
  9: "Concepts"
};

