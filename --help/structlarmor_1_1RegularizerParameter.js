var structlarmor_1_1RegularizerParameter =
[
    [ "Kind", "structlarmor_1_1RegularizerParameter.html#a0b195c4d3bb07145aab2dd594ddce4b5", [
      [ "number", "structlarmor_1_1RegularizerParameter.html#a0b195c4d3bb07145aab2dd594ddce4b5ab1bc248a7ff2b2e95569f56de68615df", null ],
      [ "integer", "structlarmor_1_1RegularizerParameter.html#a0b195c4d3bb07145aab2dd594ddce4b5a157db7df530023575515d366c9b672e8", null ],
      [ "flag", "structlarmor_1_1RegularizerParameter.html#a0b195c4d3bb07145aab2dd594ddce4b5a327a6c4304ad5938eaf0efb6cc3e53dc", null ],
      [ "choice", "structlarmor_1_1RegularizerParameter.html#a0b195c4d3bb07145aab2dd594ddce4b5a0162cefc4952304026cb1f5dab2419d2", null ],
      [ "text", "structlarmor_1_1RegularizerParameter.html#a0b195c4d3bb07145aab2dd594ddce4b5a1cb251ec0d568de6a929b520c4aed8d1", null ]
    ] ],
    [ "choices", "structlarmor_1_1RegularizerParameter.html#ab51751f39a49ee6dc6165e59e57777d1", null ],
    [ "fallback", "structlarmor_1_1RegularizerParameter.html#abc813842aaf23a27e030355351356be3", null ],
    [ "help", "structlarmor_1_1RegularizerParameter.html#a1cb964bec2aec6fa3bbf29c0b0605e26", null ],
    [ "key", "structlarmor_1_1RegularizerParameter.html#a751272ddb8448f29018ca023544abccd", null ],
    [ "kind", "structlarmor_1_1RegularizerParameter.html#abbddedd06c883268080142e851ea3d98", null ],
    [ "least", "structlarmor_1_1RegularizerParameter.html#af5eb52ae19ed763daa8869fc836ff85e", null ],
    [ "most", "structlarmor_1_1RegularizerParameter.html#a4044047c767762b280864ad08ee6b714", null ]
];