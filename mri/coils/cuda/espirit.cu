#include <larmor/mri/coils/cuda/espirit.hpp>

#include <cuda_runtime.h>

namespace larmor::cuda {
namespace {

constexpr int threads = 128;
constexpr int iterations = 30;
// ‖v_new − v‖² of a converged vector.
constexpr float converged = 1e-12f;

__host__ __device__ int entries_of(int channels) {
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

// The element (a, b) of a pixel's Hermitian matrix, stored [entry][pixel].
__device__ float2 element(const float2* matrix, std::int64_t pixels, int a, int b) {
  if (b <= a) return matrix[(a * (a + 1) / 2 + b) * pixels];
  const float2 mirrored = matrix[(b * (b + 1) / 2 + a) * pixels];
  return {mirrored.x, -mirrored.y};
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
  for (int entry = 0; entry < entries; ++entry) {
    const float2* line = lines + (y * entries + entry) * p.span_x;
    float2 sum{0, 0};
    for (int dx = 0; dx < p.span_x; ++dx) {
      const float2 term = product(line[dx], phases[dx]);
      sum.x += term.x;
      sum.y += term.y;
    }
    matrix[entry * pixels] = sum;
  }

  int start = 0;
  for (int c = 1; c < p.channels; ++c)
    if (element(matrix, pixels, c, c).x > element(matrix, pixels, start, start).x) start = c;
  float2 v[most], w[most];
  float squares = 0;
  for (int c = 0; c < p.channels; ++c) {
    v[c] = element(matrix, pixels, c, start);
    squares += v[c].x * v[c].x + v[c].y * v[c].y;
  }
  float factor = squares > 0 ? rsqrtf(squares) : 0.0f, norm = 0;
  for (int c = 0; c < p.channels; ++c) v[c] = {v[c].x * factor, v[c].y * factor};
  for (int iteration = 0; iteration < iterations; ++iteration) {
    squares = 0;
    for (int a = 0; a < p.channels; ++a) {
      float2 sum{0, 0};
      for (int b = 0; b < p.channels; ++b) {
        const float2 term = product(element(matrix, pixels, a, b), v[b]);
        sum.x += term.x;
        sum.y += term.y;
      }
      w[a] = sum;
      squares += sum.x * sum.x + sum.y * sum.y;
    }
    norm = sqrtf(squares);
    factor = norm > 0 ? 1 / norm : 0.0f;
    float change = 0;
    for (int c = 0; c < p.channels; ++c) {
      const float2 next{w[c].x * factor, w[c].y * factor};
      change += (next.x - v[c].x) * (next.x - v[c].x) + (next.y - v[c].y) * (next.y - v[c].y);
      v[c] = next;
    }
    if (change < converged) break;
  }

  float2 turn{0, 0};
  if (norm >= p.crop) {
    float2 seen{0, 0};  // by the reference coil
    for (int c = 0; c < p.channels; ++c) {
      const float2 term = product(pairs(p.reference)[c], v[c]);
      seen.x += term.x;
      seen.y += term.y;
    }
    const float magnitude = hypotf(seen.x, seen.y);
    turn = magnitude > 0 ? float2{seen.x / magnitude, -seen.y / magnitude} : float2{1, 0};
  }
  for (int c = 0; c < p.channels; ++c) maps[c * p.map_stride] = product(v[c], turn);
}

std::int64_t line_values(const EspiritPlane& p) {
  return p.ny * entries_of(p.channels) * p.span_x;
}
unsigned blocks_for(std::int64_t n) {
  return static_cast<unsigned>((n + threads - 1) / threads);
}

}  // namespace

std::size_t espirit_scratch_bytes(const EspiritPlane& p) {
  return static_cast<std::size_t>(line_values(p) + p.ny * p.nx * entries_of(p.channels)) * sizeof(float2);
}

void espirit_plane(const EspiritPlane& p, void* scratch, Stream stream) {
  auto* lines = static_cast<float2*>(scratch);
  float2* matrices = lines + line_values(p);
  rows_kernel<<<blocks_for(line_values(p)), threads, 0, stream>>>(p, lines);
  check_launch("ESPIRiT rows");
  const unsigned blocks = blocks_for(p.ny * p.nx);
  if (p.channels <= 8)
    pixels_kernel<8><<<blocks, threads, 0, stream>>>(p, lines, matrices);
  else if (p.channels <= 16)
    pixels_kernel<16><<<blocks, threads, 0, stream>>>(p, lines, matrices);
  else
    pixels_kernel<EspiritPlane::most_channels><<<blocks, threads, 0, stream>>>(p, lines, matrices);
  check_launch("ESPIRiT pixels");
}

}  // namespace larmor::cuda
