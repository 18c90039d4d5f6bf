var searchData=
[
  ['matlab_20and_20octave_0',['MATLAB and Octave',['../md_docs_matlab.html',1,'']]]
];
