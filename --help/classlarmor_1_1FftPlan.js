var classlarmor_1_1FftPlan =
[
    [ "FftPlan", "classlarmor_1_1FftPlan.html#a2603ac4663134817bd87442667378898", null ],
    [ "execute", "classlarmor_1_1FftPlan.html#a8572de27cefe7362d6c01ef57e42345c", null ],
    [ "scratch_bytes", "classlarmor_1_1FftPlan.html#a3edff99bd3a20ae11c8f86be7dcde391", null ]
];