var classlarmor_1_1Phantom =
[
    [ "Phantom", "classlarmor_1_1Phantom.html#af84c1e08c3ac5bed0e92f7c65922b8ce", null ],
    [ "coils", "classlarmor_1_1Phantom.html#ab2623c529f3ae68da76b668241d72a9c", null ],
    [ "dims", "classlarmor_1_1Phantom.html#aaec9092decf5b07634566ec668b31eb2", null ],
    [ "image", "classlarmor_1_1Phantom.html#ad4e3706091bb84a630e912f202359865", null ],
    [ "kspace", "classlarmor_1_1Phantom.html#a4927c09746686f4a5c4cd21efbc35441", null ],
    [ "maps", "classlarmor_1_1Phantom.html#aca4fe6fa89f18bd7b45d7a59c116136b", null ],
    [ "sensitivities", "classlarmor_1_1Phantom.html#a0239ac3926e529a1bf3f3633c2238573", null ],
    [ "truth", "classlarmor_1_1Phantom.html#ad3b4fc90870b001a581c3e98551ad592", null ]
];