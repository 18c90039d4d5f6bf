#include <larmor/mri/density/cuda/density.hpp>

#include <cuda_runtime.h>

namespace larmor::cuda {
namespace {

constexpr int threads = 256;

__global__ void divide_kernel(const float2* convolved, double pixels, double least, double power,
                              double* density, float2* weights, std::int64_t samples) {
  const std::int64_t j = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (j >= samples) return;
  const double value = density[j] / pow(fmax(static_cast<double>(convolved[j].x) / pixels, least), power);
  density[j] = value;
  weights[j] = {static_cast<float>(value), 0.0f};
}

}  // namespace

void divide_by_convolved(const std::complex<float>* convolved, double pixels, double least, double power,
                         double* density, std::complex<float>* weights, std::int64_t samples, Stream stream) {
  if (samples == 0) return;
  const auto blocks = static_cast<unsigned>((samples + threads - 1) / threads);
  divide_kernel<<<blocks, threads, 0, stream>>>(reinterpret_cast<const float2*>(convolved), pixels, least,
                                                power, density, reinterpret_cast<float2*>(weights), samples);
  check_launch("divide_by_convolved");
}

}  // namespace larmor::cuda
