#pragma once

namespace larmor::nufft::cuda {

/// Matrix products of one warp, D += A·B, on tensor cores: A holds kernel weights of rows of cells (one
/// column per point), B values of the points times their weights along x (one row per point). Each thread
/// holds `per_thread` points of a group of 4 · per_thread, loaded together as 16 bytes; points may be
/// assigned to the inner index k in any order, if A and B agree.
template <typename T>
struct Mma;

namespace detail {

__device__ inline void multiply_tf32(float (&d)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                                     unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

}  // namespace detail

/// d += a·b of this warp: row a[g][t] and column b[t][g] are held by thread 4g + t, as are d[g][2t] and
/// d[g][2t + 1].
__device__ inline void multiply_add(double (&d)[2], double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(d[0]), "+d"(d[1])
      : "d"(a), "d"(b));
}

/// TF32 products of float32 numbers split into a high and a low part, which keeps about 21 bits: hi·hi +
/// hi·lo + lo·hi (Markidis et al. 2018).
template <>
struct Mma<float> {
  static constexpr int rows = 16, halves = 2, per_thread = 4, sums = 4;

  struct Split {
    unsigned high[4], low[4];
  };
  static __device__ Split split(const float (&v)[4]) {
    Split s;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      s.high[i] = __float_as_uint(v[i]) & 0xffffe000u;
      s.low[i] = __float_as_uint(v[i] - __uint_as_float(s.high[i]));
    }
    return s;
  }
  /// Part `term` of D += A·B: a[half] belongs to row g + 8·half of this thread's points, b to column g. Parts
  /// of several products should be interleaved, because each waits for the previous one.
  static constexpr int terms = 6;
  static __device__ void multiply(int term, float (&d)[4], const Split (&a)[2], const Split& b) {
    const int k = term / 3 * 2;
    if (term % 3 == 0)
      product(d, a[0].low, a[1].low, b.high, k);
    else if (term % 3 == 1)
      product(d, a[0].high, a[1].high, b.low, k);
    else
      product(d, a[0].high, a[1].high, b.high, k);
  }

 private:
  static __device__ void product(float (&d)[4], const unsigned (&a0)[4], const unsigned (&a1)[4],
                                 const unsigned (&b)[4], int k) {
    detail::multiply_tf32(d, a0[k], a1[k], a0[k + 1], a1[k + 1], b[k], b[k + 1]);
  }
};

template <>
struct Mma<double> {
  static constexpr int rows = 8, halves = 1, per_thread = 2, sums = 2;

  struct Split {
    double v[2];
  };
  static __device__ Split split(const double (&v)[2]) { return {{v[0], v[1]}}; }
  static constexpr int terms = 2;
  static __device__ void multiply(int term, double (&d)[2], const Split (&a)[1], const Split& b) {
    multiply_add(d, a[0].v[term], b.v[term]);
  }
};

}  // namespace larmor::nufft::cuda
