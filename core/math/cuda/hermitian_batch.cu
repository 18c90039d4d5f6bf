#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/core/cuda/device_attribute.cuh>
#include <larmor/core/math/cuda/hermitian_batch.hpp>

#include <cuda_runtime.h>

namespace larmor::cuda {
namespace {

constexpr int threads = 256, warp = 32;
// Threads that work on one column: one access of shared memory serves 8 complex numbers.
constexpr int team = 8, teams = threads / team;
// Maximum number of sweeps for each eigenvalue. QL needs about 2.
constexpr int most_sweeps = 30;
// Matrices are scaled to elements of about 1. Off-diagonal elements count as zero below this fraction of 1
// and their neighbours, and sums of squares below `least_square`, because smaller ones are inexact.
constexpr double negligible = 1e-16, least_square = 1e-290;

using C = ComplexValue<double>;

// Working memory for one matrix.
struct Work {
  int n;
  C* a;           // matrix, by columns; then its reflectors; then its eigenvectors
  C *v, *x;       // vectors of the reduction, side by side; then the rotations of two sweeps
  double *d, *e;  // diagonal and off-diagonal of the tridiagonal form; e[i] is right of d[i], e[n − 1] = 0
};

// Both parts at once, which halves the time of shared memory access.
__device__ C load(const C* from) {
  const double2 value = *reinterpret_cast<const double2*>(from);
  return {value.x, value.y};
}
__device__ void store(C* to, C value) {
  *reinterpret_cast<double2*>(to) = {value.re, value.im};
}

// Σ conj(x) y over the elements from `first` on, the same bits for every thread of a team.
__device__ C team_product(const C* x, const C* y, int first, int n) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const unsigned members = ((1u << team) - 1) << (lane / team * team);
  C sum{0, 0};
  for (int i = first + lane % team; i < n; i += team) sum = sum + conjugate_product(load(x + i), load(y + i));
  for (int step = 1; step < team; step *= 2)
    sum = sum + C{__shfl_xor_sync(members, sum.re, step), __shfl_xor_sync(members, sum.im, step)};
  return sum;
}

// Copies the matrix to a, scaled by the power of 2 that is returned.
__device__ double load_scaled(const Work& w, const C* matrix) {
  __shared__ int top;
  const int size = w.n * w.n, me = static_cast<int>(threadIdx.x);
  if (me == 0) top = 0;
  __syncthreads();
  double largest = 0;
  for (int i = me; i < size; i += threads)
    largest = fmax(largest, fmax(fabs(matrix[i].re), fabs(matrix[i].im)));
  // The upper words of positive numbers are in the order of the numbers. The limit is for zero matrices.
  atomicMax(&top, __double2hiint(largest));
  __syncthreads();
  const double scale = fmin(1 / __hiloint2double(top & 0x7ff00000, 0), 1e308);
  // Rows of a Hermitian matrix are its conjugate columns.
  for (int i = me; i < size; i += threads) w.a[i] = {scale * matrix[i].re, -scale * matrix[i].im};
  __syncthreads();
  return scale;
}

// Householder's reduction to real tridiagonal form (Golub, Van Loan, Matrix Computations, section 8.3.1) by
// the reflectors 1 − τ v vᴴ of LAPACK's zlarfg. Column k keeps v below the diagonal and τ on it. Every team
// computes the numbers that all of them need.
__device__ void tridiagonalise(const Work& w) {
  const int n = w.n, me = static_cast<int>(threadIdx.x);
  for (int k = 0; k < n; ++k) {
    const int next = k + 1;
    C* const column = w.a + k * n;
    const double square = team_product(column, column, next, n).re;
    // Below the diagonal, (α, …) becomes (β, 0, …).
    double beta = 0, inverse = 0;
    C tau{0, 0}, difference{0, 0};
    if (square > least_square) {
      const C alpha = column[next];
      beta = copysign(sqrt(square), -alpha.re);
      tau = {1 - alpha.re / beta, -alpha.im / beta};
      difference = {alpha.re - beta, alpha.im};
      inverse = 1 / (difference.re * difference.re + difference.im * difference.im);
    }
    if (me == 0) {
      w.d[k] = column[k].re;
      w.e[k] = beta;
      column[k] = tau;
    }
    for (int i = next + me; i < n; i += threads)
      store(w.v + i, i == next ? C{1, 0} : inverse * conjugate_product(difference, load(column + i)));
    __syncthreads();
    for (int i = next + me; i < n; i += threads) store(column + i, load(w.v + i));
    for (int c = next + me / team; c < n; c += teams) {
      const C sum = team_product(w.a + c * n, w.v, next, n);
      if (me % team == 0) store(w.x + c, product(tau, sum));
    }
    __syncthreads();
    // a −= v xᴴ + x vᴴ + γ v vᴴ
    const double gamma = -product(tau, team_product(w.x, w.v, next, n)).re;
    for (int c = next + me / team; c < n; c += teams) {
      const C of_x = load(w.v + c), of_v = load(w.x + c) + gamma * of_x;
      for (int r = next + me % team; r < n; r += team) {
        C* const at = w.a + c * n + r;
        store(at, load(at) - conjugate_product(of_v, load(w.v + r)) - conjugate_product(of_x, load(w.x + r)));
      }
    }
    __syncthreads();
  }
}

// a becomes the product of its reflectors, from the last one on. Each adds a row and a column to a unitary
// matrix in the lower right corner.
__device__ void multiply_reflectors(const Work& w) {
  const int n = w.n, me = static_cast<int>(threadIdx.x);
  for (int k = n - 2; k >= 0; --k) {
    const int next = k + 1;
    const C* const v = w.a + k * n;
    for (int c = next + me / team; c < n; c += teams) {
      C* const column = w.a + c * n;
      for (int r = next + me % team; r < n; r += team)
        if (r == next || c == next) column[r] = {r == c ? 1.0 : 0.0, 0};
      const C factor = product(v[k], team_product(v, column, next, n));
      for (int r = next + me % team; r < n; r += team)
        store(column + r, load(column + r) - product(factor, load(v + r)));
    }
    __syncthreads();
  }
  for (int i = me; i < n; i += threads) w.a[i] = w.a[i * n] = {i == 0 ? 1.0 : 0.0, 0};
  __syncthreads();
}

// The first row from `row` on whose off-diagonal element is zero, or is not; n − 1 if there is none. For all
// lanes of a warp.
__device__ int find(bool zero, int row, const Work& w) {
  for (;; row += warp) {
    const int i = row + static_cast<int>(threadIdx.x) % warp;
    const bool found =
        i + 1 >= w.n || zero != (fabs(w.e[i]) > negligible * (1 + fabs(w.d[i]) + fabs(w.d[i + 1])));
    const unsigned lanes = __ballot_sync(0xffffffff, found);
    if (lanes != 0) return min(row + __ffs(static_cast<int>(lanes)) - 1, w.n - 1);
  }
}

// One implicit QL sweep with Wilkinson's shift over rows low … high (EISPACK's tql2). Rotation i is of rows
// i and i + 1, from high − 1 down to the row that is returned. One thread runs this loop, which takes most of
// the time: few operations depend on the inverse root, and the next elements are loaded early.
__device__ int sweep(const Work& w, C* rotations, int low, int high) {
  double *const d = w.d, *const e = w.e;
  const double ratio = (d[low + 1] - d[low]) / (2 * e[low]);
  double g = d[high] - d[low] + e[low] / (ratio + copysign(sqrt(ratio * ratio + 1), ratio));
  double f = e[high - 1], b = f, above = d[high], here = d[high - 1];
  int i = high - 1;
  for (; i >= low; --i) {
    const int after = max(i - 1, low);
    const double d_after = d[after], e_after = e[after], square = f * f + g * g;
    if (!(square > least_square)) break;  // g counts as zero
    const double inverse = rsqrt(square), inverse_square = inverse * inverse;
    const double both = f * (here - above) + 2 * g * b, shift = f * both * inverse_square;
    store(rotations + i, {g * inverse, f * inverse});
    d[i + 1] = above + shift;
    e[i + 1] = square * inverse;
    above = here - shift;
    here = d_after;
    f = f * e_after * inverse;
    const double b_before = b;
    b = g * e_after * inverse;
    g = g * both * inverse_square - b_before;
  }
  d[i + 1] = above;
  e[i + 1] = g;
  e[high] = 0;
  return i + 1;
}

// Rotates the columns low … high of a, of whose 2n real rows this is every `step`th from `first` on.
__device__ void rotate(const Work& w, const C* rotations, int low, int high, int first, int step) {
  const int length = 2 * w.n;
  for (int r = first; r < length; r += step) {
    double* const row = reinterpret_cast<double*>(w.a) + r;
    double above = row[high * length];
    for (int i = high - 1; i >= low; --i) {
      const C turn = load(rotations + i);
      const double here = row[i * length];
      row[(i + 1) * length] = turn.im * here + turn.re * above;
      above = turn.re * here - turn.im * above;
    }
    row[low * length] = above;
  }
}

// d becomes the eigenvalues of the tridiagonal form, and its eigenvectors multiply a. While the first warp
// runs a sweep, the others rotate columns by the sweep before.
__device__ void diagonalise(const Work& w) {
  __shared__ int2 rows[2];  // low and high of a sweep's rotations
  const int me = static_cast<int>(threadIdx.x);
  for (int count = 0, low = 0; count < most_sweeps * w.n; ++count) {
    const int now = count % 2, before = 1 - now;
    if (me < warp) {
      low = find(false, low, w);
      const int high = find(true, low, w);
      if (me == 0) rows[now] = {low < high ? sweep(w, w.v + now * w.n, low, high) : high, high};
    } else if (count > 0) {
      rotate(w, w.v + before * w.n, rows[before].x, rows[before].y, me - warp, threads - warp);
    }
    __syncthreads();
    if (rows[now].x == rows[now].y) break;
  }
}

// The shared memory of a multiprocessor holds three matrices of 64 rows.
__global__ void __launch_bounds__(threads, 3)
    eigen_kernel(const C* matrices, C* vectors, double* values, int n, bool in_shared) {
  extern __shared__ double2 memory[];
  const std::int64_t matrix = blockIdx.x;
  const int size = n * n, me = static_cast<int>(threadIdx.x);
  C* const v = reinterpret_cast<C*>(memory);
  double* const d = reinterpret_cast<double*>(v + 2 * n);
  C* const out = vectors + matrix * size;
  const Work w{n, in_shared ? reinterpret_cast<C*>(d + 2 * n) : out, v, v + n, d, d + n};
  const double scale = load_scaled(w, matrices + matrix * size);
  tridiagonalise(w);
  multiply_reflectors(w);
  diagonalise(w);
  for (int i = me; i < n; i += threads) values[matrix * n + i] = d[i] / scale;
  if (in_shared)
    for (int i = me; i < size; i += threads) store(out + i, load(w.a + i));
}

}  // namespace

void hermitian_eigen_batch(const std::complex<double>* matrices, std::complex<double>* vectors,
                           double* values, std::int64_t count, std::int64_t n, std::size_t shared_bytes,
                           Stream stream) {
  const std::size_t other = static_cast<std::size_t>(n) * (2 * sizeof(C) + 2 * sizeof(double));
  const std::size_t all = other + static_cast<std::size_t>(n * n) * sizeof(C);
  const bool in_shared = all + 2048 <= shared_bytes;  // 2 KiB for the system and static variables
  const std::size_t bytes = in_shared ? all : other;
  allow_shared_bytes(eigen_kernel, bytes);
  eigen_kernel<<<static_cast<unsigned>(count), threads, bytes, stream>>>(
      complex_values(matrices), complex_values(vectors), values, static_cast<int>(n), in_shared);
  check_launch("eigenvalues of Hermitian matrices");
}

}  // namespace larmor::cuda
