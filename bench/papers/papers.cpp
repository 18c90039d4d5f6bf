#include <larmor/bench/papers/papers.hpp>

namespace larmor::bench {

const std::vector<Paper>& papers() {
  static const std::vector<Paper> list{
      {"cufinufft", "cuFINUFFT (Shih et al. 2021)",
       "spreading in shared memory makes type 1 independent of how points lie; 1.3e8 random points to 256^3 "
       "in 180 ms at 1e-2 and 870 ms at 1e-5 on a V100, 2.6e5 points to 32^3 in 0.5 and 2.8 ms",
       "random and clustered points, as many as cells of a grid twice as fine: 256^3 pixels in full, 64^3 "
       "and "
       "32^3 else",
       random_transforms},
      {"nufft3-gpu", "A type-3 NUFFT on GPUs, for electromagnetics",
       "a type 3 in two dimensions, N = K up to 2^20 and N = K^2, up to 8 times as fast on a GeForce GTX 960 "
       "as with OpenMP on a Core i7-6700K, more for N = K^2; accuracy of 9e-11 in its field problem",
       "2^20 points in full, 2^18 and 2^14 else, to as many frequencies and to their square root; 1e-5 in "
       "single and 1e-10 in double precision",
       type3_transforms},
      {"gnufftw", "gNUFFTW (Ou)",
       "tuning oversampling and method to trajectory, accuracy and machine is up to ten times as fast as "
       "fixed "
       "parameters, on a Tesla K40",
       "radial and random trajectories in three dimensions, R = 1 and 16, error 0.01: 254^3 pixels in full, "
       "62^3 and 30^3 else; docs/benchmarks.md has the whole grid of cases",
       tuned_transforms},
      {"cuspfft", "cuSpFFT (course project)",
       "the spectrum of a sparse binary matrix without the dense one: 9.6 ms and a tenth of the memory for "
       "8219^2 at 0.36 %, where dense cuFFT takes 23.6 ms, on a GeForce RTX 4090; powers of two are slower "
       "than dense",
       "random symmetric patterns of the sizes and densities of its four matrices in full, the smallest two "
       "or "
       "one else",
       sparse_transforms},
      {"nufft-gpu-1d", "Gaussian gridding in one dimension (CS 179 project)",
       "5e7 real samples to 5e7 frequencies: 1353 ms for gridding alone, a fifth less with unrolled loops; "
       "to "
       "4000 frequencies 82 ms; verified up to 3e5 frequencies",
       "5e7 points in full, 5e6 and 2e5 else, to 4000 modes, six for a thousand points, and as many as "
       "points",
       line_comparisons},
  };
  return list;
}

}  // namespace larmor::bench
