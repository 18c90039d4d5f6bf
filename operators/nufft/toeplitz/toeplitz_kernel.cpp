#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/kernel/coils.hpp>
#include <larmor/operators/nufft/toeplitz/cpu_toeplitz.hpp>
#include <larmor/operators/nufft/toeplitz/cuda/toeplitz_kernel.hpp>
#include <larmor/operators/nufft/toeplitz/matrix_convolution.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>

namespace larmor::nufft {
namespace {

Index fast_length(Index n, const Device& device) {
  if constexpr (larmor::cuda::built)
    if (device.on_gpu()) return cuda_fast_length(n);
  return fast_fft_size(n);
}

// True if transforms of this length are preferred to padded ones of twice the length. A GPU's fast lengths
// are even.
bool is_fast(Index n, const Device& device) {
  if (device.on_gpu() && n % 2 != 0) return false;
  for (const Index prime : {2, 3, 5, 7})
    while (n % prime == 0) n /= prime;
  return n == 1;
}

}  // namespace

Periods periods_of(View<const double> trajectory, const Shape& image, double tolerance, const Context& ctx) {
  const Index dims = image.rank(), samples = trajectory.shape()[0];
  // Distance from a frequency of the grid that changes phases at the far end of the image by the tolerance,
  // in radians.
  const double most = tolerance / (2 * std::numbers::pi);
  Periods periods{};
  for (Index a = 0; a < dims; ++a)
    periods[static_cast<std::size_t>(a)] = image[static_cast<int>(dims - 1 - a)];
  const Context host = ctx.host();
  // Most trajectories have no periods, as their first samples show.
  Index chunk = 1 << 14;
  for (Index first = 0; first < samples && periods != Periods{}; first += chunk, chunk *= 2) {
    chunk = std::min(chunk, samples - first);
    const auto points = copied_to(Device::cpu(), trajectory.slices(first, chunk));
    for (Index a = 0; a < dims; ++a) {
      Index& period = periods[static_cast<std::size_t>(a)];
      if (period == 0) continue;
      std::atomic<bool> between = false;
      parallel_for(host, chunk, 1 << 12, [&](Index begin, Index end, int) {
        for (Index j = begin; j < end && !between; ++j) {
          const double frequency = points[j * dims + a] * static_cast<double>(period);
          if (!(std::abs(frequency - std::round(frequency)) <= most)) between = true;
        }
      });
      if (between) period = 0;
    }
  }
  return periods;
}

ToeplitzSizes::ToeplitzSizes(const Shape& shape, const Device& device, const Periods& periods)
    : dims(shape.rank()) {
  if (dims < 1 || dims > 3)
    throw usage_error("Toeplitz: image of shape {}, expected 1 to 3 axes", shape.to_string());
  for (int a = 0; a < dims; ++a) {
    image[a] = shape[dims - 1 - a];
    padded[a] = image[a] > 1 ? fast_length(2 * image[a], device) : 1;
    circular[a] = periods[a] > 0 && periods[a] < padded[a] && is_fast(periods[a], device);
    if (circular[a]) padded[a] = periods[a];
    grid[a] = a == dims - 1 ? image[a] : padded[a];
  }
}

ToeplitzSizes ToeplitzSizes::by_planes() const {
  ToeplitzSizes sizes = *this;
  sizes.dims = 2;
  sizes.padded[2] = 1;
  sizes.circular[2] = false;
  sizes.grid[1] = image[1];
  return sizes;
}

template <typename T>
std::shared_ptr<const ToeplitzKernel<T>> make_toeplitz_kernel(SharedSpectra<T> spectra, Index coils,
                                                              const Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) {
      if (spectra->pairs.size > 1) return make_cuda_matrix_kernel<T>(std::move(spectra), coils);
      return std::make_shared<const CudaToeplitzKernel<T>>(std::move(spectra), coils, ctx.device());
    }
  return std::make_shared<const CpuToeplitzKernel<T>>(std::move(spectra), coils);
}

template <typename T>
std::size_t toeplitz_scratch_bytes(const Shape& image, Index terms, Index coils, const Context& ctx) {
  const ToeplitzSizes sizes(image, ctx.device());
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) {
      if (terms > 1) return cuda_matrix_scratch_bytes<T>(image, terms, coils, ctx);
      return CudaToeplitzKernel<T>::most_scratch_bytes(sizes, coils);
    }
  return CpuToeplitzKernel<T>::scratch_bytes(sizes, terms, coils, ctx.threads());
}

#define LARMOR_INSTANTIATE(T)                                                                        \
  template std::shared_ptr<const ToeplitzKernel<T>> make_toeplitz_kernel<T>(SharedSpectra<T>, Index, \
                                                                            const Context&);         \
  template std::size_t toeplitz_scratch_bytes<T>(const Shape&, Index, Index, const Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
