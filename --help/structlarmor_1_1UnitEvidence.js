var structlarmor_1_1UnitEvidence =
[
    [ "dwell_us", "structlarmor_1_1UnitEvidence.html#a2549a0093c650a15002e3251a2c87e09", null ],
    [ "largest_step", "structlarmor_1_1UnitEvidence.html#ae455863af4a6066ad403d82dc1095571", null ],
    [ "recon_fov_mm", "structlarmor_1_1UnitEvidence.html#aa55c336f46adf55f5db07c4ba605944b", null ],
    [ "recon_matrix", "structlarmor_1_1UnitEvidence.html#a6d157e272301789c2841ab64933f0839", null ]
];