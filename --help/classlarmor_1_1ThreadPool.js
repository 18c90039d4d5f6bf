var classlarmor_1_1ThreadPool =
[
    [ "ThreadPool", "classlarmor_1_1ThreadPool.html#a5d6b65e6f6483eff079e9d4949ccfde1", null ],
    [ "ThreadPool", "classlarmor_1_1ThreadPool.html#a717f57c703691b64ef7e220b1c29e2b0", null ],
    [ "operator=", "classlarmor_1_1ThreadPool.html#a107ce99077ca7e1328043bb101ddd792", null ],
    [ "run", "classlarmor_1_1ThreadPool.html#a79e930957f040f7d162f2298cbbe17e7", null ],
    [ "threads", "classlarmor_1_1ThreadPool.html#a3fe8e4e86a2371f0dcd605e14d1298e8", null ]
];