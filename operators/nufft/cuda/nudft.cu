#include <larmor/operators/nufft/cuda/nudft.hpp>

#include <cuda_runtime.h>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

// Each thread computes the sum for one target (a sample or a pixel) and up to four coils. The threads of a
// block read the terms of the sum from shared memory, where they are double already. Blocks along y sum one
// slab each; the partial sums are added in order at the end.
constexpr int threads = 256;
constexpr int coil_group = 4;
constexpr int segment_pixels = 256;  // pixels of a row for which one exact phase is computed
constexpr int restart = 16;          // within a segment, phases are stepped from every 16th pixel
constexpr int sample_batch = 128;
constexpr std::int64_t wanted_blocks = 2112;  // 16 for each multiprocessor of the largest device in use
constexpr std::int64_t most_slabs = 1024;

std::int64_t target_blocks(std::int64_t targets) {
  return (targets + threads - 1) / threads;
}

std::int64_t coil_blocks(std::int64_t coils) {
  return (coils + coil_group - 1) / coil_group;
}

std::int64_t slab_count(std::int64_t targets, std::int64_t coils) {
  const std::int64_t blocks = std::max<std::int64_t>(1, target_blocks(targets) * coil_blocks(coils));
  return std::clamp<std::int64_t>(wanted_blocks / blocks, 1, most_slabs);
}

struct Sum {
  ExactTransform transform;
  std::int64_t coils, targets;
  const std::int64_t* list;
  double2* partial;    // [slab][coil][target]
  std::int64_t steps;  // segments of pixels, or batches of samples
};

// k·x modulo 1, rounded once.
__device__ double cycles(double k, double x) {
  return fma(k, x, -rint(k * x));
}

__device__ double2 phase(double in_cycles) {
  double2 result;
  sincospi(2 * (in_cycles - rint(in_cycles)), &result.y, &result.x);
  return result;
}

__device__ double2 operator*(double2 a, double2 b) {
  return {fma(a.x, b.x, -a.y * b.y), fma(a.x, b.y, a.y * b.x)};
}

__device__ void add_product(double2& sum, double2 a, double2 b) {
  sum.x = fma(a.x, b.x, fma(-a.y, b.y, sum.x));
  sum.y = fma(a.x, b.y, fma(a.y, b.x, sum.y));
}

// Coordinates of sample j; 0 for axes beyond `dims`.
__device__ void load_coordinates(const ExactTransform& t, std::int64_t j, double (&k)[3]) {
  for (int a = 0; a < 3; ++a) k[a] = a < t.dims ? t.coordinates[j * t.dims + a] : 0;
}

__device__ void store_partial(const Sum& sum, const double2 (&value)[coil_group], std::int64_t target,
                              std::int64_t first_coil) {
  if (target >= sum.targets) return;
  for (int c = 0; c < coil_group && first_coil + c < sum.coils; ++c)
    sum.partial[(static_cast<std::int64_t>(blockIdx.y) * sum.coils + first_coil + c) * sum.targets + target] =
        value[c];
}

// Steps (segments or batches) of this block's slab: begin ... end − 1.
__device__ void slab(const Sum& sum, std::int64_t& begin, std::int64_t& end) {
  begin = sum.steps * blockIdx.y / gridDim.y;
  end = sum.steps * (blockIdx.y + 1) / gridDim.y;
}

template <typename T>
__global__ void __launch_bounds__(threads) forward_parts(Sum sum, const T* images) {
  __shared__ double2 pixels[segment_pixels][coil_group];
  const ExactTransform& t = sum.transform;
  const std::int64_t target = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  const std::int64_t first_coil = static_cast<std::int64_t>(blockIdx.z) * coil_group;
  const std::int64_t last = min(target, sum.targets - 1), all_pixels = t.image[0] * t.image[1] * t.image[2];
  double k[3];
  load_coordinates(t, sum.list ? sum.list[last] : last, k);
  const double2 step = phase(-k[0]), long_step = phase(cycles(-k[0], restart));
  const std::int64_t per_row = (t.image[0] + segment_pixels - 1) / segment_pixels;
  const int coils = static_cast<int>(min(sum.coils - first_coil, static_cast<std::int64_t>(coil_group)));
  double2 total[coil_group] = {};
  std::int64_t begin, end;
  slab(sum, begin, end);
  for (std::int64_t segment = begin; segment < end; ++segment) {
    const std::int64_t row = segment / per_row, x = (segment - row * per_row) * segment_pixels;
    const int count = static_cast<int>(min(t.image[0] - x, static_cast<std::int64_t>(segment_pixels)));
    const std::int64_t first_pixel = row * t.image[0] + x;
    __syncthreads();
    for (int i = threadIdx.x; i < segment_pixels * coil_group; i += threads) {
      const int c = i / segment_pixels, pixel = i % segment_pixels;
      double2 value = {0, 0};
      if (pixel < count && first_coil + c < sum.coils) {
        const T* from = images + 2 * ((first_coil + c) * all_pixels + first_pixel + pixel);
        value = {static_cast<double>(from[0]), static_cast<double>(from[1])};
      }
      pixels[pixel][c] = value;
    }
    __syncthreads();
    const std::int64_t y = row % t.image[1], z = row / t.image[1];
    const double in_cycles = cycles(-k[0], static_cast<double>(x - t.image[0] / 2)) +
                             cycles(-k[1], static_cast<double>(y - t.image[1] / 2)) +
                             cycles(-k[2], static_cast<double>(z - t.image[2] / 2));
    double2 start = phase(in_cycles);
    for (int base = 0; base < count; base += restart) {
      double2 factor = start;
#pragma unroll 4
      for (int i = 0; i < restart; ++i) {  // pixels beyond the row's end are zeros
#pragma unroll
        for (int c = 0; c < coil_group; ++c)
          if (c < coils) add_product(total[c], factor, pixels[base + i][c]);
        factor = factor * step;
      }
      start = start * long_step;
    }
  }
  store_partial(sum, total, target, first_coil);
}

template <typename T>
__global__ void __launch_bounds__(threads) adjoint_parts(Sum sum, const T* samples) {
  __shared__ double2 values[sample_batch][coil_group];
  __shared__ double coordinates[sample_batch][3];
  const ExactTransform& t = sum.transform;
  const std::int64_t target = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  const std::int64_t first_coil = static_cast<std::int64_t>(blockIdx.z) * coil_group;
  const std::int64_t last = min(target, sum.targets - 1), pixel = sum.list ? sum.list[last] : last;
  const std::int64_t row = pixel / t.image[0];
  const double at[3] = {static_cast<double>(pixel - row * t.image[0] - t.image[0] / 2),
                        static_cast<double>(row % t.image[1] - t.image[1] / 2),
                        static_cast<double>(row / t.image[1] - t.image[2] / 2)};
  const int coils = static_cast<int>(min(sum.coils - first_coil, static_cast<std::int64_t>(coil_group)));
  double2 total[coil_group] = {};
  std::int64_t begin, end;
  slab(sum, begin, end);
  for (std::int64_t batch = begin; batch < end; ++batch) {
    const std::int64_t first = batch * sample_batch;
    const int count = static_cast<int>(min(t.samples - first, static_cast<std::int64_t>(sample_batch)));
    __syncthreads();
    for (int i = threadIdx.x; i < count * coil_group; i += threads) {
      const int c = i / count, j = i - c * count;
      double2 value = {0, 0};
      if (first_coil + c < sum.coils) {
        const T* from = samples + 2 * ((first_coil + c) * t.samples + first + j);
        const double weight = t.weights ? t.weights[first + j] : 1;
        value = {weight * from[0], weight * from[1]};
      }
      values[j][c] = value;
    }
    for (int i = threadIdx.x; i < count * 3; i += threads) {
      const int j = i / 3, a = i - 3 * j;
      coordinates[j][a] = a < t.dims ? t.coordinates[(first + j) * t.dims + a] : 0;
    }
    __syncthreads();
    for (int j = 0; j < count; ++j) {
      double in_cycles = cycles(coordinates[j][0], at[0]);
      if (t.dims > 1) in_cycles += cycles(coordinates[j][1], at[1]);
      if (t.dims > 2) in_cycles += cycles(coordinates[j][2], at[2]);
      const double2 factor = phase(in_cycles);
#pragma unroll
      for (int c = 0; c < coil_group; ++c)
        if (c < coils) add_product(total[c], factor, values[j][c]);
    }
  }
  store_partial(sum, total, target, first_coil);
}

// Adds the partial sums of the slabs in order. Weights are those of the targets, or null.
template <typename T>
__global__ void add_parts(Sum sum, int slabs, const double* weights, T* out) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  const std::int64_t values = sum.coils * sum.targets;
  if (i >= values) return;
  double2 total = {0, 0};
  for (int s = 0; s < slabs; ++s) {
    const double2 part = sum.partial[s * values + i];
    total.x += part.x;
    total.y += part.y;
  }
  const std::int64_t target = i % sum.targets;
  const double weight = weights ? weights[sum.list ? sum.list[target] : target] : 1;
  out[2 * i] = static_cast<T>(weight * total.x);
  out[2 * i + 1] = static_cast<T>(weight * total.y);
}

template <typename T, typename Kernel>
void run_coils(Kernel kernel, const Sum& sum, const std::complex<T>* in, const double* target_weights,
               std::complex<T>* out, larmor::cuda::Stream stream) {
  const std::int64_t slabs = slab_count(sum.targets, sum.coils);
  const dim3 blocks(static_cast<unsigned>(target_blocks(sum.targets)), static_cast<unsigned>(slabs),
                    static_cast<unsigned>(coil_blocks(sum.coils)));
  kernel<<<blocks, threads, 0, stream>>>(sum, reinterpret_cast<const T*>(in));
  larmor::cuda::check_launch("exact sums");
  add_parts<T>
      <<<static_cast<unsigned>((sum.coils * sum.targets + threads - 1) / threads), threads, 0, stream>>>(
          sum, static_cast<int>(slabs), target_weights, reinterpret_cast<T*>(out));
  larmor::cuda::check_launch("sum of partial sums");
}

// `in` holds `values` values for each coil. CUDA limits a grid to 65535 blocks along z.
template <typename T, typename Kernel>
void run(Kernel kernel, const Sum& sum, const std::complex<T>* in, std::int64_t values,
         const double* target_weights, std::complex<T>* out, larmor::cuda::Stream stream) {
  if (sum.targets == 0) return;
  constexpr std::int64_t most = std::int64_t{65535} * coil_group;
  for (std::int64_t c = 0; c < sum.coils; c += most) {
    Sum part = sum;
    part.coils = std::min(sum.coils - c, most);
    run_coils(kernel, part, in + c * values, target_weights, out + c * sum.targets, stream);
  }
}

}  // namespace

std::size_t nudft_scratch_bytes(std::int64_t targets, std::int64_t coils) {
  return static_cast<std::size_t>(slab_count(targets, coils) * targets * coils) * sizeof(double2);
}

template <typename T>
void nudft_forward(const ExactTransform& transform, const std::complex<T>* images, std::int64_t coils,
                   const std::int64_t* list, std::int64_t targets, std::complex<T>* out, void* scratch,
                   larmor::cuda::Stream stream) {
  const std::int64_t per_row = (transform.image[0] + segment_pixels - 1) / segment_pixels;
  const std::int64_t segments = per_row * transform.image[1] * transform.image[2];
  run(forward_parts<T>, Sum{transform, coils, targets, list, static_cast<double2*>(scratch), segments},
      images, transform.image[0] * transform.image[1] * transform.image[2], transform.weights, out, stream);
}

template <typename T>
void nudft_adjoint(const ExactTransform& transform, const std::complex<T>* samples, std::int64_t coils,
                   const std::int64_t* list, std::int64_t targets, std::complex<T>* out, void* scratch,
                   larmor::cuda::Stream stream) {
  const std::int64_t batches = (transform.samples + sample_batch - 1) / sample_batch;
  run(adjoint_parts<T>, Sum{transform, coils, targets, list, static_cast<double2*>(scratch), batches},
      samples, transform.samples, nullptr, out, stream);
}

#define LARMOR_INSTANTIATE(T)                                                              \
  template void nudft_forward(const ExactTransform&, const std::complex<T>*, std::int64_t, \
                              const std::int64_t*, std::int64_t, std::complex<T>*, void*,  \
                              larmor::cuda::Stream);                                       \
  template void nudft_adjoint(const ExactTransform&, const std::complex<T>*, std::int64_t, \
                              const std::int64_t*, std::int64_t, std::complex<T>*, void*,  \
                              larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
