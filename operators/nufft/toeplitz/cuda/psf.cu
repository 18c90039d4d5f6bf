#include <larmor/operators/nufft/toeplitz/cuda/psf.hpp>

#include <cuda_runtime.h>

namespace larmor::nufft::cuda {
namespace {

constexpr int threads = 256;

unsigned blocks_for(std::int64_t n) {
  const std::int64_t blocks = (n + threads - 1) / threads;
  return static_cast<unsigned>(blocks < 1 << 30 ? blocks : 1 << 30);
}
__device__ std::int64_t first_index() {
  return std::int64_t{blockIdx.x} * threads + threadIdx.x;
}
__device__ std::int64_t index_step() {
  return std::int64_t{gridDim.x} * threads;
}

struct Start {
  double of[3];
};

__global__ void modulate_kernel(const double* trajectory, const double* density, std::int64_t samples,
                                int dims, Start start, double2* weights) {
  for (std::int64_t j = first_index(); j < samples; j += index_step()) {
    double cycles = 0;
    for (int a = 0; a < dims; ++a) cycles += trajectory[j * dims + a] * start.of[a];
    const double weight = density != nullptr ? density[j] : 1.0;
    double sine, cosine;
    sincospi(2 * (cycles - floor(cycles)), &sine, &cosine);
    weights[j] = {weight * cosine, weight * sine};
  }
}

__global__ void place_kernel(PsfBlock w, const double2* block, double2* half, std::int64_t n) {
  for (std::int64_t i = first_index(); i < n; i += index_step()) {
    std::int64_t rest = i, to = 0, stride = 1;
    bool free_entry = false;
    for (int a = 0; a < w.dims; ++a) {
      const std::int64_t pixel = rest % w.image[a];
      rest /= w.image[a];
      if (a == w.dims - 1) {
        to += pixel * stride;
        continue;
      }
      const std::int64_t shift = pixel + w.start[a];
      free_entry = free_entry || shift == -w.image[a];
      to += (shift < 0 ? shift + w.padded[a] : shift) * stride;
      stride *= w.padded[a];
    }
    if (!free_entry) half[to] = block[i];
  }
}

__global__ void lines_kernel(const double2* half, std::int64_t inner, std::int64_t shifts,
                             std::int64_t length, std::int64_t first, std::int64_t count, double2* lines) {
  // Neighbouring threads take neighbouring lines, which lie side by side in `half`.
  for (std::int64_t i = first_index(); i < count * length; i += index_step()) {
    const std::int64_t v = i % count, at = i / count;
    const std::int64_t shift = at < shifts ? at : length - at;
    double2 value{0, 0};
    if (shift < shifts) value = half[shift * inner + first + v];
    if (at >= shifts) value.y = -value.y;
    lines[v * length + at] = value;
  }
}

template <typename T>
__global__ void real_kernel(const double2* lines, double scale, T* spectrum, std::int64_t n) {
  for (std::int64_t i = first_index(); i < n; i += index_step())
    spectrum[i] = static_cast<T>(lines[i].x * scale);
}

}  // namespace

void modulate(const double* trajectory, const double* density, std::int64_t samples, int dims,
              const std::int64_t* start, std::complex<double>* weights, larmor::cuda::Stream stream) {
  if (samples == 0) return;
  Start from{};
  for (int a = 0; a < dims; ++a) from.of[a] = static_cast<double>(start[a]);
  modulate_kernel<<<blocks_for(samples), threads, 0, stream>>>(trajectory, density, samples, dims, from,
                                                               reinterpret_cast<double2*>(weights));
  larmor::cuda::check_launch("modulate");
}

void place_block(const PsfBlock& where, const std::complex<double>* block, std::complex<double>* half,
                 larmor::cuda::Stream stream) {
  const std::int64_t n = where.image[0] * where.image[1] * where.image[2];
  place_kernel<<<blocks_for(n), threads, 0, stream>>>(where, reinterpret_cast<const double2*>(block),
                                                      reinterpret_cast<double2*>(half), n);
  larmor::cuda::check_launch("place_block");
}

void hermitian_lines(const std::complex<double>* half, std::int64_t inner, std::int64_t shifts,
                     std::int64_t length, std::int64_t first, std::int64_t count, std::complex<double>* lines,
                     larmor::cuda::Stream stream) {
  lines_kernel<<<blocks_for(count * length), threads, 0, stream>>>(reinterpret_cast<const double2*>(half),
                                                                   inner, shifts, length, first, count,
                                                                   reinterpret_cast<double2*>(lines));
  larmor::cuda::check_launch("hermitian_lines");
}

template <typename T>
void real_part(const std::complex<double>* lines, double scale, T* spectrum, std::int64_t n,
               larmor::cuda::Stream stream) {
  real_kernel<T>
      <<<blocks_for(n), threads, 0, stream>>>(reinterpret_cast<const double2*>(lines), scale, spectrum, n);
  larmor::cuda::check_launch("real_part");
}

template void real_part<float>(const std::complex<double>*, double, float*, std::int64_t,
                               larmor::cuda::Stream);
template void real_part<double>(const std::complex<double>*, double, double*, std::int64_t,
                                larmor::cuda::Stream);

}  // namespace larmor::nufft::cuda
