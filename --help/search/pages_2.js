var searchData=
[
  ['history_20of_20measurements_0',['History of measurements',['../md_bench_results_history.html',1,'']]]
];
