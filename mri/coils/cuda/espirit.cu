#include <larmor/core/cuda/host_device.hpp>
#include <larmor/mri/coils/cuda/espirit.hpp>

#include <cuda_runtime.h>

namespace larmor::cuda {
namespace {

constexpr int threads = 128;
constexpr int iterations = 30;
// ‖v_new − v‖² of a converged vector.
constexpr float converged = 1e-12f;

LARMOR_HOST_DEVICE int entries_of(int channels) {
  return channels * (channels + 1) / 2;
}
__device__ float2 product(float2 a, float2 b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
__device__ const float2* pairs(const std::complex<float>* values) {
  return reinterpret_cast<const float2*>(values);
}

// lines[y][entry][dx]: the polynomials of the plane's rows.
__global__ void rows_kernel(EspiritPlane p, float2* lines) {
  const std::int64_t per_row = std::int64_t{entries_of(p.channels)} * p.span_x;
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= per_row * p.ny) return;
  const std::int64_t y = i / per_row, entry = i % per_row / p.span_x, dx = i % p.span_x;
  float2 sum{0, 0};
  for (int dy = 0; dy < p.span_y; ++dy) {
    const float2 term = product(pairs(p.coefficients)[(entry * p.span_y + dy) * p.span_x + dx],
                                pairs(p.phases_y)[y * p.span_y + dy]);
    sum.x += term.x;
    sum.y += term.y;
  }
  lines[i] = sum;
}

__device__ void add_product(float2& sum, float2 a, float2 b) {
  sum.x += a.x * b.x - a.y * b.y;
  sum.y += a.x * b.y + a.y * b.x;
}

// w = M v for a pixel's Hermitian matrix, stored [entry][pixel]; each entry is read once. The vectors
// stay in registers.
template <int most>
__device__ void multiply(const float2* matrix, std::int64_t pixels, int channels, const float2 (&v)[most],
                         float2 (&w)[most]) {
#pragma unroll
  for (int a = 0; a < most; ++a) {
    if (a >= channels) continue;
    float2 sum{0, 0};
#pragma unroll
    for (int b = 0; b < most; ++b) {
      if (b >= a) continue;
      const float2 m = matrix[(a * (a + 1) / 2 + b) * pixels];
      add_product(sum, m, v[b]);
      add_product(w[b], {m.x, -m.y}, v[a]);
    }
    const float diagonal = matrix[(a * (a + 1) / 2 + a) * pixels].x;
    w[a] = {sum.x + diagonal * v[a].x, sum.y + diagonal * v[a].y};
  }
}

template <int most>
__global__ void __launch_bounds__(threads)
    pixels_kernel(EspiritPlane p, const float2* lines, float2* matrices) {
  const std::int64_t pixels = p.ny * p.nx, pixel = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (pixel >= pixels) return;
  const std::int64_t y = pixel / p.nx, x = pixel % p.nx;
  auto* maps = reinterpret_cast<float2*>(p.maps) + pixel;
  const bool inside = y >= p.first_y && y <= p.last_y && x >= p.first_x && x <= p.last_x;
  if (!inside) {
    for (int c = 0; c < p.channels; ++c) maps[c * p.map_stride] = {0, 0};
    return;
  }
  float2* matrix = matrices + pixel;
  const int entries = entries_of(p.channels);
  const float2* phases = pairs(p.phases_x) + x * p.span_x;
  // No eigenvalue exceeds the root of the sum of all squares.
  float frobenius = 0, largest = -1;
  int start = 0;
  for (int a = 0, entry = 0; a < p.channels; ++a)
    for (int b = 0; b <= a; ++b, ++entry) {
      const float2* line = lines + (y * entries + entry) * p.span_x;
      float2 sum{0, 0};
      for (int dx = 0; dx < p.span_x; ++dx) add_product(sum, line[dx], phases[dx]);
      matrix[entry * pixels] = sum;
      frobenius += (a == b ? 1 : 2) * (sum.x * sum.x + sum.y * sum.y);
      if (a == b && sum.x > largest) {
        largest = sum.x;
        start = a;
      }
    }
  if (frobenius < p.crop * p.crop) {
    for (int c = 0; c < p.channels; ++c) maps[c * p.map_stride] = {0, 0};
    return;
  }

  float2 v[most], w[most];
  float squares = 0;
#pragma unroll
  for (int c = 0; c < most; ++c) {
    v[c] = {0, 0};
    if (c >= p.channels) continue;
    v[c] = c >= start ? matrix[(c * (c + 1) / 2 + start) * pixels]
                      : matrix[(start * (start + 1) / 2 + c) * pixels];
    if (c < start) v[c].y = -v[c].y;
    squares += v[c].x * v[c].x + v[c].y * v[c].y;
  }
  float factor = squares > 0 ? rsqrtf(squares) : 0.0f, norm = 0;
#pragma unroll
  for (int c = 0; c < most; ++c) v[c] = {v[c].x * factor, v[c].y * factor};
  for (int iteration = 0; iteration < iterations; ++iteration) {
    multiply<most>(matrix, pixels, p.channels, v, w);
    squares = 0;
#pragma unroll
    for (int c = 0; c < most; ++c)
      if (c < p.channels) squares += w[c].x * w[c].x + w[c].y * w[c].y;
    norm = sqrtf(squares);
    factor = norm > 0 ? 1 / norm : 0.0f;
    float change = 0;
#pragma unroll
    for (int c = 0; c < most; ++c) {
      if (c >= p.channels) continue;
      const float2 next{w[c].x * factor, w[c].y * factor};
      change += (next.x - v[c].x) * (next.x - v[c].x) + (next.y - v[c].y) * (next.y - v[c].y);
      v[c] = next;
    }
    if (change < converged) break;
  }

  float2 turn{0, 0};
  if (norm >= p.crop) {
    float2 seen{0, 0};  // by the reference coil
#pragma unroll
    for (int c = 0; c < most; ++c)
      if (c < p.channels) add_product(seen, pairs(p.reference)[c], v[c]);
    const float magnitude = hypotf(seen.x, seen.y);
    turn = magnitude > 0 ? float2{seen.x / magnitude, -seen.y / magnitude} : float2{1, 0};
  }
#pragma unroll
  for (int c = 0; c < most; ++c)
    if (c < p.channels) maps[c * p.map_stride] = product(v[c], turn);
}

// With more than 16 channels a pixel has one or two warps, each lane a row of its matrix in registers: the
// matrices of all pixels of a plane exceed the cache, and would be read again in every iteration.
constexpr int warp = 32;

// Rows of the matrices, padded; 0: a thread has a pixel.
int padded_rows(const EspiritPlane& p) {
  return p.channels <= 16 ? 0 : p.channels <= warp ? warp : 2 * warp;
}

// lines[y][b][dx][a]: the polynomials of whole matrices, zero beyond the channels.
template <int rows>
__global__ void matrix_rows_kernel(EspiritPlane p, float2* lines) {
  const std::int64_t per_row = std::int64_t{rows} * p.span_x * rows;
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= per_row * p.ny) return;
  const std::int64_t y = i / per_row;
  const int a = static_cast<int>(i % rows), dx = static_cast<int>(i / rows % p.span_x),
            b = static_cast<int>(i % per_row / (std::int64_t{rows} * p.span_x));
  float2 sum{0, 0};
  if (a < p.channels && b < p.channels) {
    // Above the diagonal: the conjugate below it, whose phases are those of the opposite differences.
    const bool below = a >= b;
    const int entry = below ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
    const int column = below ? dx : p.span_x - 1 - dx;
    for (int dy = 0; dy < p.span_y; ++dy)
      add_product(sum, pairs(p.coefficients)[(std::int64_t{entry} * p.span_y + dy) * p.span_x + column],
                  pairs(p.phases_y)[y * p.span_y + dy]);
    if (!below) sum.y = -sum.y;
  }
  lines[i] = sum;
}

__device__ float warp_sum(float value) {
  for (int step = warp / 2; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  return value;
}

// The threads of a pixel: a warp, or a block of two.
template <int rows>
struct PixelThreads {
  float* sums;  // in shared memory, one for each warp
  int* lanes;

  __device__ void wait() const {
    if constexpr (rows == warp)
      __syncwarp();
    else
      __syncthreads();
  }
  __device__ float sum(float value) const {
    value = warp_sum(value);
    if constexpr (rows == warp) return value;
    wait();  // the last sum has been read
    if (threadIdx.x % warp == 0) sums[threadIdx.x / warp] = value;
    wait();
    return sums[0] + sums[1];
  }
  // The lane with the largest value, the first of equal ones.
  __device__ int largest(float value) const {
    int lane = static_cast<int>(threadIdx.x % rows);
    for (int step = warp / 2; step > 0; step /= 2) {
      const float other = __shfl_xor_sync(0xffffffffu, value, step);
      const int its = __shfl_xor_sync(0xffffffffu, lane, step);
      if (other > value || (other == value && its < lane)) {
        value = other;
        lane = its;
      }
    }
    if constexpr (rows == warp) return lane;
    wait();
    if (threadIdx.x % warp == 0) {
      sums[threadIdx.x / warp] = value;
      lanes[threadIdx.x / warp] = lane;
    }
    wait();
    return sums[1] > sums[0] ? lanes[1] : lanes[0];
  }
};

// Blocks of two warps hold one pixel of two warps each.
template <int rows>
constexpr int block_threads = rows == warp ? threads : rows;

template <int rows>
__global__ void __launch_bounds__(block_threads<rows>) matrices_kernel(EspiritPlane p, const float2* lines) {
  constexpr int pixels_of_block = block_threads<rows> / rows;
  __shared__ float2 vectors[pixels_of_block][rows];
  __shared__ float sums[rows / warp];
  __shared__ int lanes[rows / warp];
  const PixelThreads<rows> group{sums, lanes};
  const int lane = threadIdx.x % rows;
  float2* const vector = vectors[threadIdx.x / rows];
  const std::int64_t pixel = (std::int64_t{blockIdx.x} * block_threads<rows> + threadIdx.x) / rows;
  if (pixel >= p.ny * p.nx) return;
  const std::int64_t y = pixel / p.nx, x = pixel % p.nx;
  float2* const map = reinterpret_cast<float2*>(p.maps) + lane * p.map_stride + pixel;
  const bool has_map = lane < p.channels;
  const bool inside = y >= p.first_y && y <= p.last_y && x >= p.first_x && x <= p.last_x;
  float2 row[rows];
  float squares = 0, diagonal = -1;
  if (inside) {
    const float2* from = lines + y * rows * p.span_x * rows + lane;
    const float2* phases = pairs(p.phases_x) + x * p.span_x;
#pragma unroll
    for (int b = 0; b < rows; ++b) {
      float2 sum{0, 0};
      for (int dx = 0; dx < p.span_x; ++dx, from += rows) add_product(sum, *from, phases[dx]);
      row[b] = sum;
      squares += sum.x * sum.x + sum.y * sum.y;
      if (b == lane && has_map) diagonal = sum.x;
    }
  }
  // No eigenvalue exceeds the root of the sum of all squares.
  if (!inside || group.sum(squares) < p.crop * p.crop) {
    if (has_map) *map = {0, 0};
    return;
  }
  const int start = group.largest(diagonal);
  float2 v{0, 0};
#pragma unroll
  for (int b = 0; b < rows; ++b)
    if (b == start) v = row[b];
  squares = group.sum(v.x * v.x + v.y * v.y);
  float factor = squares > 0 ? rsqrtf(squares) : 0.0f, norm = 0;
  v = {v.x * factor, v.y * factor};
  for (int iteration = 0; iteration < iterations; ++iteration) {
    group.wait();
    vector[lane] = v;
    group.wait();
    float2 even{0, 0}, odd{0, 0};
#pragma unroll
    for (int b = 0; b < rows; b += 2) {
      add_product(even, row[b], vector[b]);
      add_product(odd, row[b + 1], vector[b + 1]);
    }
    const float2 w{even.x + odd.x, even.y + odd.y};
    norm = sqrtf(group.sum(w.x * w.x + w.y * w.y));
    factor = norm > 0 ? 1 / norm : 0.0f;
    const float2 next{w.x * factor, w.y * factor}, step{next.x - v.x, next.y - v.y};
    v = next;
    if (group.sum(step.x * step.x + step.y * step.y) < converged) break;
  }
  float2 turn{0, 0};
  if (norm >= p.crop) {
    const float2 part = has_map ? product(pairs(p.reference)[lane], v) : float2{0, 0};
    const float2 seen{group.sum(part.x), group.sum(part.y)};
    const float magnitude = hypotf(seen.x, seen.y);
    turn = magnitude > 0 ? float2{seen.x / magnitude, -seen.y / magnitude} : float2{1, 0};
  }
  if (has_map) *map = product(v, turn);
}

std::int64_t line_values(const EspiritPlane& p) {
  const int rows = padded_rows(p);
  return p.ny * (rows > 0 ? rows * rows : entries_of(p.channels)) * p.span_x;
}
unsigned blocks_for(std::int64_t n) {
  return static_cast<unsigned>((n + threads - 1) / threads);
}

template <int rows>
void matrices_of_plane(const EspiritPlane& p, float2* lines, Stream stream) {
  matrix_rows_kernel<rows><<<blocks_for(line_values(p)), threads, 0, stream>>>(p, lines);
  check_launch("ESPIRiT rows");
  constexpr int size = block_threads<rows>;
  const auto blocks = static_cast<unsigned>((p.ny * p.nx * rows + size - 1) / size);
  matrices_kernel<rows><<<blocks, size, 0, stream>>>(p, lines);
  check_launch("ESPIRiT pixels");
}

}  // namespace

std::size_t espirit_scratch_bytes(const EspiritPlane& p) {
  const std::int64_t matrices = padded_rows(p) > 0 ? 0 : p.ny * p.nx * entries_of(p.channels);
  return static_cast<std::size_t>(line_values(p) + matrices) * sizeof(float2);
}

void espirit_plane(const EspiritPlane& p, void* scratch, Stream stream) {
  auto* lines = static_cast<float2*>(scratch);
  if (padded_rows(p) == warp) return matrices_of_plane<warp>(p, lines, stream);
  if (padded_rows(p) > warp) return matrices_of_plane<2 * warp>(p, lines, stream);
  float2* matrices = lines + line_values(p);
  rows_kernel<<<blocks_for(line_values(p)), threads, 0, stream>>>(p, lines);
  check_launch("ESPIRiT rows");
  const unsigned blocks = blocks_for(p.ny * p.nx);
  if (p.channels <= 8)
    pixels_kernel<8><<<blocks, threads, 0, stream>>>(p, lines, matrices);
  else
    pixels_kernel<16><<<blocks, threads, 0, stream>>>(p, lines, matrices);
  check_launch("ESPIRiT pixels");
}

}  // namespace larmor::cuda
