#include <larmor/mri/coils/cuda/channel_matrix.hpp>

#include <cuda_runtime.h>

namespace larmor::cuda {
namespace {

constexpr int threads = 128;

__global__ void __launch_bounds__(threads)
    channel_matrix_kernel(const float2* matrix, std::int64_t rows, std::int64_t columns, const float2* in,
                          float2* out, std::int64_t length, bool normalised) {
  const std::int64_t p = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (p >= length) return;
  float squares = 0;
  for (std::int64_t i = 0; i < rows; ++i) {
    float2 sum{0, 0};
    for (std::int64_t j = 0; j < columns; ++j) {
      const float2 m = matrix[i * columns + j], value = in[j * length + p];
      sum.x += m.x * value.x - m.y * value.y;
      sum.y += m.x * value.y + m.y * value.x;
    }
    out[i * length + p] = sum;
    squares += sum.x * sum.x + sum.y * sum.y;
  }
  if (!normalised) return;
  const float factor = squares > 0 ? 1 / sqrtf(squares) : 0.0f;
  for (std::int64_t i = 0; i < rows; ++i) {
    out[i * length + p].x *= factor;
    out[i * length + p].y *= factor;
  }
}

}  // namespace

void apply_channel_matrix(const std::complex<float>* matrix, std::int64_t rows, std::int64_t columns,
                          const std::complex<float>* in, std::complex<float>* out, std::int64_t length,
                          bool normalised, Stream stream) {
  if (length == 0) return;
  channel_matrix_kernel<<<static_cast<unsigned>((length + threads - 1) / threads), threads, 0, stream>>>(
      reinterpret_cast<const float2*>(matrix), rows, columns, reinterpret_cast<const float2*>(in),
      reinterpret_cast<float2*>(out), length, normalised);
  check_launch("channel matrix");
}

}  // namespace larmor::cuda
