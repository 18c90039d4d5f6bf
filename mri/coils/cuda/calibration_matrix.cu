#include <larmor/mri/coils/cuda/calibration_matrix.hpp>

#include <cuda_runtime.h>

namespace larmor::cuda {
namespace {

// A block of 16 × 16 threads computes a tile of the result, 4 × 4 entries each, 16 terms of the sums at a
// time.
constexpr int side = 16, each = 4, tile = side * each, depth = 16;

__device__ void add_product(double2& sum, double2 a, double2 b) {
  sum.x += a.x * b.x - a.y * b.y;
  sum.y += a.x * b.y + a.y * b.x;
}

// The sums of a tile: entry (r, c) of this thread is row side·r + y, column side·c + x. load_rows(k) and
// load_columns(k) fill shared memory with terms k to k + depth, [term][row or column].
template <typename Load>
__device__ void tile_sums(std::int64_t terms, double2 (*rows)[tile], double2 (*columns)[tile],
                          const Load& load, double2 (&sums)[each][each]) {
  for (std::int64_t k = 0; k < terms; k += depth) {
    load(k);
    __syncthreads();
    for (int t = 0; t < depth; ++t) {
      double2 a[each], b[each];
      for (int i = 0; i < each; ++i) a[i] = rows[t][side * i + threadIdx.y];
      for (int i = 0; i < each; ++i) b[i] = columns[t][side * i + threadIdx.x];
#pragma unroll
      for (int i = 0; i < each; ++i)
#pragma unroll
        for (int j = 0; j < each; ++j) add_product(sums[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
}

// Offset in k-space of row `i` of the windows.
__device__ std::int64_t row_offset(const Windows& w, std::int64_t i) {
  const std::int64_t x = i % w.kernel[2], y = i / w.kernel[2] % w.kernel[1],
                     z = i / (w.kernel[2] * w.kernel[1]) % w.kernel[0],
                     c = i / (w.kernel[2] * w.kernel[1] * w.kernel[0]);
  return ((c * w.region[0] + z) * w.region[1] + y) * w.region[2] + x;
}

// Tiles on and below the diagonal; those above mirror them.
__global__ void __launch_bounds__(side* side)
    gram_kernel(Windows w, std::int64_t n, std::int64_t places, const float2* kspace, double2* gram) {
  if (blockIdx.y < blockIdx.x) return;
  __shared__ double2 rows[depth][tile], columns[depth][tile];
  __shared__ std::int64_t row_offsets[tile], column_offsets[tile];
  const int thread = threadIdx.y * side + threadIdx.x;
  const std::int64_t first_row = std::int64_t{blockIdx.y} * tile,
                     first_column = std::int64_t{blockIdx.x} * tile;
  for (int i = thread; i < tile; i += side * side) {
    row_offsets[i] = row_offset(w, min(first_row + i, n - 1));
    column_offsets[i] = row_offset(w, min(first_column + i, n - 1));
  }
  __syncthreads();
  const std::int64_t nx = w.region[2] - w.kernel[2] + 1, ny = w.region[1] - w.kernel[1] + 1;
  double2 sums[each][each] = {};
  tile_sums(
      places, rows, columns,
      [&](std::int64_t k) {
        for (int i = thread; i < depth * tile; i += side * side) {
          const int term = i / tile, at = i % tile;
          const std::int64_t place = k + term;
          float2 a{0, 0}, b{0, 0};
          if (place < places) {
            const std::int64_t offset =
                (place / (nx * ny) * w.region[1] + place / nx % ny) * w.region[2] + place % nx;
            a = kspace[row_offsets[at] + offset];
            b = kspace[column_offsets[at] + offset];
          }
          rows[term][at] = {a.x, a.y};
          columns[term][at] = {b.x, -b.y};
        }
      },
      sums);
  for (int i = 0; i < each; ++i)
    for (int j = 0; j < each; ++j) {
      const std::int64_t row = first_row + side * i + threadIdx.y,
                         column = first_column + side * j + threadIdx.x;
      if (row >= n || column > row) continue;
      gram[row * n + column] = sums[i][j];
      gram[column * n + row] = {sums[i][j].x, row == column ? 0.0 : -sums[i][j].y};
    }
}

__global__ void __launch_bounds__(side* side)
    multiply_kernel(std::int64_t n, double factor, const double2* a, const double2* b, double diagonal,
                    double2* product) {
  __shared__ double2 rows[depth][tile], columns[depth][tile];
  const int thread = threadIdx.y * side + threadIdx.x;
  const std::int64_t first_row = std::int64_t{blockIdx.y} * tile,
                     first_column = std::int64_t{blockIdx.x} * tile;
  double2 sums[each][each] = {};
  tile_sums(
      n, rows, columns,
      [&](std::int64_t k) {
        for (int i = thread; i < depth * tile; i += side * side) {
          const int term = i / tile, at = i % tile;
          const std::int64_t row = first_row + at, column = first_column + at;
          const bool within = k + term < n;
          const double2 mirrored = within && row < n ? a[(k + term) * n + row] : double2{0, 0};
          rows[term][at] = {mirrored.x, -mirrored.y};
          columns[term][at] = within && column < n ? b[(k + term) * n + column] : double2{0, 0};
        }
      },
      sums);
  for (int i = 0; i < each; ++i)
    for (int j = 0; j < each; ++j) {
      const std::int64_t row = first_row + side * i + threadIdx.y,
                         column = first_column + side * j + threadIdx.x;
      if (row >= n || column >= n) continue;
      product[row * n + column] = {factor * sums[i][j].x + (row == column ? diagonal : 0),
                                   factor * sums[i][j].y};
    }
}

// One warp per row.
constexpr int warp = 32, threads = 128;
__global__ void __launch_bounds__(warp)
    multiply_vector_kernel(std::int64_t n, const double2* a, const double2* vector, double2* product) {
  double2 sum{0, 0};
  for (std::int64_t j = threadIdx.x; j < n; j += warp) add_product(sum, a[blockIdx.x * n + j], vector[j]);
  for (int offset = warp / 2; offset > 0; offset /= 2) {
    sum.x += __shfl_xor_sync(~0U, sum.x, offset);
    sum.y += __shfl_xor_sync(~0U, sum.y, offset);
  }
  if (threadIdx.x == 0) product[blockIdx.x] = sum;
}

__global__ void add_diagonal_kernel(std::int64_t n, double value, double2* a) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) a[i * n + i].x += value;
}

__global__ void diagonal_kernel(std::int64_t n, const double2* a, double2* values) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) values[i] = a[i * n + i];
}

const double2* pairs(const std::complex<double>* values) {
  return reinterpret_cast<const double2*>(values);
}
double2* pairs(std::complex<double>* values) {
  return reinterpret_cast<double2*>(values);
}
unsigned blocks_for(std::int64_t n) {
  return static_cast<unsigned>((n + threads - 1) / threads);
}
dim3 tiles_of(std::int64_t n) {
  const auto count = static_cast<unsigned>((n + tile - 1) / tile);
  return {count, count};
}

}  // namespace

void window_gram(const Windows& w, const std::complex<float>* kspace, std::complex<double>* gram,
                 Stream stream) {
  std::int64_t n = w.channels, places = 1;
  for (int axis = 0; axis < 3; ++axis) {
    n *= w.kernel[axis];
    places *= w.region[axis] - w.kernel[axis] + 1;
  }
  gram_kernel<<<tiles_of(n), dim3(side, side), 0, stream>>>(
      w, n, places, reinterpret_cast<const float2*>(kspace), pairs(gram));
  check_launch("ESPIRiT windows");
}

void multiply(std::int64_t n, double factor, const std::complex<double>* a, const std::complex<double>* b,
              double diagonal, std::complex<double>* product, Stream stream) {
  multiply_kernel<<<tiles_of(n), dim3(side, side), 0, stream>>>(n, factor, pairs(a), pairs(b), diagonal,
                                                                pairs(product));
  check_launch("matrix product");
}

void multiply_vector(std::int64_t n, const std::complex<double>* a, const std::complex<double>* vector,
                     std::complex<double>* product, Stream stream) {
  multiply_vector_kernel<<<static_cast<unsigned>(n), warp, 0, stream>>>(n, pairs(a), pairs(vector),
                                                                        pairs(product));
  check_launch("matrix times vector");
}

void add_diagonal(std::int64_t n, double value, std::complex<double>* a, Stream stream) {
  add_diagonal_kernel<<<blocks_for(n), threads, 0, stream>>>(n, value, pairs(a));
  check_launch("matrix plus diagonal");
}

void diagonal(std::int64_t n, const std::complex<double>* a, std::complex<double>* values, Stream stream) {
  diagonal_kernel<<<blocks_for(n), threads, 0, stream>>>(n, pairs(a), pairs(values));
  check_launch("matrix diagonal");
}

}  // namespace larmor::cuda
