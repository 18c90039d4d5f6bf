#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/core/math/cuda/hermitian_batch.hpp>

#include <cuda_runtime.h>

namespace larmor::cuda {
namespace {

constexpr int threads = 512, warp = 32, warps = threads / warp;
constexpr int most_sweeps = 30;
// Off-diagonal elements below this fraction of the matrix's norm count as zero.
constexpr double negligible = 1e-16;

using C = ComplexValue<double>;

// The unitary [[c, s], [−s e, c e]] of columns (p, q) that makes the element (p, q) zero, e of modulus 1.
struct Rotation {
  double c, s;  // s = 0: nothing to do
  C e;
  int p, q;  // q = n: p has no partner in this round
};

// Pair t of round r of a tournament in which m (even) players all meet in m − 1 rounds.
__device__ void meet(int t, int round, int m, int& p, int& q) {
  const int ring = m - 1;
  p = t == 0 ? ring : (round + t) % ring;
  q = (round - t + ring) % ring;
  if (p > q) {
    const int swap = p;
    p = q;
    q = swap;
  }
}

// Both parts at once, which halves the time of shared memory access.
__device__ C load(const C* from) {
  const double2 value = *reinterpret_cast<const double2*>(from);
  return {value.x, value.y};
}
__device__ void store(C* to, C value) {
  *reinterpret_cast<double2*>(to) = {value.re, value.im};
}

// (x, y) <- (c x − s e y, s x + c e y)
__device__ void turn(C& x, C& y, double c, double s, C e) {
  const C a = x, b = product(e, y);
  x = {c * a.re - s * b.re, c * a.im - s * b.im};
  y = {s * a.re + c * b.re, s * a.im + c * b.im};
}

// Rotates the elements of rows (r.p, r.q) and columns (s.p, s.q) from both sides.
__device__ void turn_block(C* a, int n, const Rotation& r, const Rotation& s) {
  if (r.s == 0 && s.s == 0) return;
  const bool two_rows = r.q < n, two_columns = s.q < n;
  const C zero{0, 0};
  C *const first = a + r.p * n, *const second = a + r.q * n;
  C pp = load(first + s.p), pq = two_columns ? load(first + s.q) : zero;
  C qp = two_rows ? load(second + s.p) : zero, qq = two_rows && two_columns ? load(second + s.q) : zero;
  if (s.s != 0) {
    turn(pp, pq, s.c, s.s, s.e);
    turn(qp, qq, s.c, s.s, s.e);
  }
  if (r.s != 0) {
    turn(pp, qp, r.c, r.s, {r.e.re, -r.e.im});
    turn(pq, qq, r.c, r.s, {r.e.re, -r.e.im});
  }
  store(first + s.p, pp);
  if (two_columns) store(first + s.q, pq);
  if (two_rows) store(second + s.p, qp);
  if (two_rows && two_columns) store(second + s.q, qq);
}

// Finds the rotations that make the elements (p, q) of a round's pairs zero, with every `step`th of these
// threads; returns true if an element was not yet zero.
__device__ bool plan(Rotation* rotations, const C* a, int n, int round, double small, int first, int step) {
  const int m = n + n % 2;
  bool rotated = false;
  for (int t = first; t < m / 2; t += step) {
    Rotation rotation{1, 0, {1, 0}, 0, 0};
    meet(t, round, m, rotation.p, rotation.q);
    const int p = rotation.p, q = rotation.q;
    if (q < n) {
      const C off = a[p * n + q];
      const double square = off.re * off.re + off.im * off.im;
      if (square > small * small) {
        const double inverse = rsqrt(square), size = square * inverse;
        const double difference = 0.5 * (a[q * n + q].re - a[p * n + p].re);
        const double tangent =
            (difference >= 0 ? size : -size) / (fabs(difference) + sqrt(difference * difference + square));
        const double c = rsqrt(1 + tangent * tangent);
        rotation = {c, tangent * c, {off.re * inverse, -off.im * inverse}, p, q};
        rotated = true;
      }
    }
    rotations[t] = rotation;
  }
  return rotated;
}

// Parallel two-sided Jacobi (Golub, Van Loan, Matrix Computations, section 8.5): a <- Jᴴ a J until it is
// diagonal; the rows of v accumulate the columns of the product of all J. While some warps find a round's
// rotations, which keeps few threads busy for long, the others apply those of the previous round to v.
__global__ void __launch_bounds__(threads)
    jacobi_kernel(C* matrices, C* vectors, double* values, int n, bool in_shared) {
  extern __shared__ double memory[];
  const int m = n + n % 2, half = m / 2, rounds = m - 1;
  auto* now = reinterpret_cast<Rotation*>(memory);
  Rotation* next = now + half;
  C* const matrix = matrices + std::int64_t{blockIdx.x} * n * n;
  C* const vector = vectors + std::int64_t{blockIdx.x} * n * n;
  C* a = in_shared ? reinterpret_cast<C*>(next + half) : matrix;
  C* v = in_shared ? a + n * n : vector;
  __shared__ double squares[threads];

  const int me = static_cast<int>(threadIdx.x), my_warp = me / warp, lane = me % warp;
  double sum = 0;
  for (int i = me; i < n * n; i += threads) {
    const C value = matrix[i];
    sum += value.re * value.re + value.im * value.im;
    if (in_shared) a[i] = value;
    v[i] = {i / n == i % n ? 1.0 : 0.0, 0};
  }
  squares[me] = sum;
  __syncthreads();
  for (int step = threads / 2; step > 0; step /= 2) {
    if (me < step) squares[me] += squares[me + step];
    __syncthreads();
  }
  const double small = negligible * sqrt(squares[0]);

  const int wanted = (half + warp - 1) / warp, planners = wanted < warps / 2 ? wanted : warps / 2;
  const bool plans = my_warp < planners;
  bool rotated = plans && plan(now, a, n, 0, small, me, planners * warp);
  __syncthreads();
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool rotates_after = false;
    for (int round = 0; round < rounds; ++round) {
      // Blocks of different pairs have no common element; neighbours in a warp differ in their columns.
      for (int r = my_warp; r < half; r += warps) {
        const Rotation row = now[r];
        for (int s = lane; s < half; s += warp) turn_block(a, n, row, now[s]);
      }
      __syncthreads();
      if (plans) {
        const bool last = round + 1 == rounds;
        const bool found = plan(next, a, n, last ? 0 : round + 1, small, me, planners * warp);
        (last ? rotates_after : rotated) |= found;
      } else {
        for (int r = my_warp - planners; r < half; r += warps - planners) {
          const Rotation row = now[r];
          if (row.s == 0) continue;
          for (int column = lane; column < n; column += warp) {
            C *const at = v + row.p * n + column, *const partner = v + row.q * n + column;
            C x = load(at), y = load(partner);
            turn(x, y, row.c, row.s, row.e);
            store(at, x);
            store(partner, y);
          }
        }
      }
      __syncthreads();
      Rotation* const done = now;
      now = next;
      next = done;
    }
    if (!__syncthreads_or(rotated)) break;
    rotated = rotates_after;
  }
  for (int i = me; i < n; i += threads) values[std::int64_t{blockIdx.x} * n + i] = a[i * n + i].re;
  if (in_shared)
    for (int i = me; i < n * n; i += threads) vector[i] = v[i];
}

}  // namespace

void hermitian_eigen_batch(std::complex<double>* matrices, std::complex<double>* vectors, double* values,
                           std::int64_t count, std::int64_t n, std::size_t shared_bytes, Stream stream) {
  const std::size_t rotations = 2 * static_cast<std::size_t>((n + 1) / 2) * sizeof(Rotation);
  const std::size_t all = rotations + 2 * static_cast<std::size_t>(n * n) * sizeof(C);
  const bool in_shared = all + threads * sizeof(double) + 1024 <= shared_bytes;
  const std::size_t bytes = in_shared ? all : rotations;
  check(cudaFuncSetAttribute(jacobi_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "setting the shared memory of an eigenvalue kernel");
  constexpr std::int64_t most_blocks = 1 << 30;
  for (std::int64_t first = 0; first < count; first += most_blocks) {
    const std::int64_t blocks = count - first < most_blocks ? count - first : most_blocks;
    jacobi_kernel<<<static_cast<unsigned>(blocks), threads, bytes, stream>>>(
        complex_values(matrices) + first * n * n, complex_values(vectors) + first * n * n, values + first * n,
        static_cast<int>(n), in_shared);
    check_launch("eigenvalues of Hermitian matrices");
  }
}

}  // namespace larmor::cuda
