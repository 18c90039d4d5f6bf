var concepts =
[
    [ "larmor", null, [
      [ "HasShape", "conceptlarmor_1_1HasShape.html", null ],
      [ "HostValues", "conceptlarmor_1_1HostValues.html", null ]
    ] ]
];