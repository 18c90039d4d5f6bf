var structlarmor_1_1LambdaSearchOptions =
[
    [ "data_energy", "structlarmor_1_1LambdaSearchOptions.html#ac93abb0ab41ea325e7d682fa71eb56c1", null ],
    [ "most_rounds", "structlarmor_1_1LambdaSearchOptions.html#ab25a34b1653073d0dc956725f80cf8d8", null ],
    [ "most_trials", "structlarmor_1_1LambdaSearchOptions.html#a0dca0c91f35fef54f81b8fc23ad02851", null ],
    [ "noise_variance", "structlarmor_1_1LambdaSearchOptions.html#a3731d6a4adaf062557b21861b15e1196", null ],
    [ "rule", "structlarmor_1_1LambdaSearchOptions.html#a019bdd2e1e50708f05dacfa9725b73e3", null ],
    [ "samples", "structlarmor_1_1LambdaSearchOptions.html#a6e14566ead76aa426f12b9c2e92a53da", null ]
];