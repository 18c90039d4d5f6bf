#include <larmor/core/cuda/device_attribute.cuh>
#include <larmor/operators/sparse_fft/cuda/column_kernels.cuh>

#include <cuda_runtime.h>

namespace larmor::sparse_fft::cuda {
namespace {

using larmor::cuda::swapped;

constexpr int threads = 512;

/// The twiddles of butterfly j: w, w², w⁴, … are `next` values apart.
template <int radix, typename T>
__device__ __forceinline__ void twiddle(Complex<T> (&v)[radix], const std::complex<T>* table, int j,
                                        int next) {
  multiply_powers<radix>(
      v, [&](int log2) { return loaded(reinterpret_cast<const Complex<T>*>(table) + log2 * next + j); });
}

/// Calls run(std::integral_constant<int, radix>{}) for a radix up to `most`.
template <int most, typename Run>
__device__ __forceinline__ void with_radix(int radix, const Run& run) {
  switch (radix) {
#define LARMOR_CASE(radix)                                                  \
  case radix:                                                               \
    if constexpr (radix <= most) run(std::integral_constant<int, radix>{}); \
    break;
    LARMOR_CASE(2)
    LARMOR_CASE(3)
    LARMOR_CASE(4)
    LARMOR_CASE(5)
    LARMOR_CASE(6)
    LARMOR_CASE(7)
    LARMOR_CASE(8)
    LARMOR_CASE(9)
    LARMOR_CASE(10)
    LARMOR_CASE(12)
    LARMOR_CASE(14)
    LARMOR_CASE(16)
    LARMOR_CASE(18)
    LARMOR_CASE(20)
#undef LARMOR_CASE
  }
}

// A row goes through the stages of a transform, each of which loads butterflies into registers and stores
// them at the same places; the last stage writes the spectrum. Bluestein's convolution is multiplied by the
// filter in the registers of the last stage, and then goes through all stages in reverse.
template <typename T, int threads, int most_radix, bool summarised>
__global__ void __launch_bounds__(threads) rows_kernel(const __grid_constant__ RowTask<T> task) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* shared = reinterpret_cast<Complex<T>*>(memory);
  const auto* signal = reinterpret_cast<const Complex<T>*>(task.signal) + blockIdx.x * task.pitch;
  const RowFft<T>& fft = task.fft;
  const int length = fft.length, columns = static_cast<int>(task.where.columns), stages = fft.radices.stages;
  const bool convolves = task.chirp != nullptr;
  const std::int64_t u = task.first + blockIdx.x;
  const RowTarget<T, summarised> target(task, u);
  RowSummary summary;

  int block = length;  // length of the blocks on which the stage's butterflies work
  const std::complex<T>* table = fft.twiddles;
  const int* begin = fft.begin;
  for (int s = 0; s < stages; ++s) {
    const bool last = s + 1 == stages;
    const int radix_of_stage = fft.radices.radix[s], next = block / radix_of_stage, step = fft.steps[s];
    if (last && !convolves) begin += length / radix_of_stage;
    with_radix<most_radix>(radix_of_stage, [&](auto constant) {
      constexpr int radix = constant;
      for (int b = static_cast<int>(threadIdx.x); b < length / radix; b += threads) {
        Complex<T> v[radix];
        Complex<T>* const at = shared + begin[b];
        if (s == 0)
          unrolled<radix>([&](auto r) {
            const int e = b + r * next;
            v[r] = e < columns ? signal[e] : Complex<T>{0, 0};
          });
        else
          unrolled<radix>([&](auto r) { v[r] = at[r * step]; });
        dft<radix>(v);
        if (!last) {
          twiddle<radix>(v, table, b % next, next);
        } else if (!convolves) {
          unrolled<radix>([&](auto r) { target.take(b + r * (length / radix), v[r], summary); });
          continue;
        } else {
          const auto* filter = reinterpret_cast<const Complex<T>*>(task.filter) + b;
          unrolled<radix>([&](auto r) { v[r] = swapped(v[r] * filter[r * (length / radix)]); });
          dft<radix>(v);
        }
        unrolled<radix>([&](auto r) { at[r * step] = v[r]; });
      }
    });
    if (!last) {
      table += twiddle_rows(radix_of_stage) * next;
      begin += length / radix_of_stage;
    }
    block = next;
    __syncthreads();
  }
  if (convolves) {
    const auto* chirp = reinterpret_cast<const Complex<T>*>(task.chirp);
    block = fft.radices.radix[stages - 1];
    for (int s = stages - 2; s >= 0; --s) {
      const int radix_of_stage = fft.radices.radix[s], next = block, step = fft.steps[s];
      block *= radix_of_stage;
      table -= twiddle_rows(radix_of_stage) * next;
      begin -= length / radix_of_stage;
      with_radix<most_radix>(radix_of_stage, [&](auto constant) {
        constexpr int radix = constant;
        for (int b = static_cast<int>(threadIdx.x); b < length / radix; b += threads) {
          Complex<T>* const at = shared + begin[b];
          Complex<T> v[radix];
          unrolled<radix>([&](auto r) { v[r] = at[r * step]; });
          twiddle<radix>(v, table, b % next, next);
          dft<radix>(v);
          if (s > 0)
            unrolled<radix>([&](auto r) { at[r * step] = v[r]; });
          else
            unrolled<radix>([&](auto r) {
              const int e = b + r * next;
              if (e < columns) target.take(e, swapped(v[r]) * chirp[e], summary);
            });
        }
      });
      __syncthreads();
    }
  }
  if (stages == 0 && threadIdx.x == 0) target.take(0, signal[0], summary);
  if constexpr (summarised) finish(task, u, summary);
}

template <typename T, bool summarised>
__global__ void __launch_bounds__(threads) finish_kernel(const __grid_constant__ RowTask<T> task) {
  const auto* row = reinterpret_cast<const Complex<T>*>(task.signal) + blockIdx.x * task.pitch;
  const auto* chirp = reinterpret_cast<const Complex<T>*>(task.chirp);
  const std::int64_t u = task.first + blockIdx.x;
  const RowTarget<T, summarised> target(task, u);
  const int columns = static_cast<int>(task.where.columns);
  RowSummary summary;
#pragma unroll 4
  for (int v = static_cast<int>(threadIdx.x); v < columns; v += threads)
    target.take(v, chirp ? row[v] * chirp[v] : row[v], summary);
  if constexpr (summarised) finish(task, u, summary);
}

template <typename T>
__global__ void __launch_bounds__(threads)
    pad_kernel(const Complex<T>* signal, std::int64_t pitch, std::int64_t columns, std::int64_t count,
               Complex<T>* buffer, std::int64_t length) {
  const std::int64_t row = blockIdx.y;
  for (std::int64_t e = std::int64_t{blockIdx.x} * threads + threadIdx.x; e < length;
       e += std::int64_t{gridDim.x} * threads)
    buffer[row * length + e] = row < count && e < columns ? signal[row * pitch + e] : Complex<T>{0, 0};
}

// A thread keeps its value of the filter for a few rows.
constexpr int filtered_rows = 8;
template <typename T>
__global__ void __launch_bounds__(threads)
    multiply_kernel(const Complex<T>* filter, Complex<T>* buffer, std::int64_t length, std::int64_t batch) {
  const std::int64_t e = std::int64_t{blockIdx.x} * threads + threadIdx.x,
                     first = std::int64_t{blockIdx.y} * filtered_rows;
  if (e >= length) return;
  const Complex<T> factor = filter[e];
  unrolled<filtered_rows>([&](auto i) {
    if (first + i < batch) buffer[(first + i) * length + e] = buffer[(first + i) * length + e] * factor;
  });
}

dim3 grid_of(std::int64_t length, std::int64_t batch) {
  const std::int64_t blocks = (length + threads - 1) / threads;
  return dim3(static_cast<unsigned>(blocks < 256 ? blocks : 256), static_cast<unsigned>(batch));
}

}  // namespace

std::size_t most_shared_bytes() {
  return static_cast<std::size_t>(larmor::cuda::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) -
         2048;
}

template <typename T, int threads, int most_radix, bool summarised>
void launch_rows(const RowTask<T>& task, Stream stream) {
  const auto kernel = rows_kernel<T, threads, most_radix, summarised>;
  const std::size_t bytes = static_cast<std::size_t>(task.fft.places) * sizeof(Complex<T>);
  larmor::cuda::allow_shared_bytes(kernel, bytes);
  kernel<<<static_cast<unsigned>(task.count), threads, bytes, stream>>>(task);
  larmor::cuda::check_launch("transform_rows");
}
template <typename T, bool summarised>
void choose_rows(const RowTask<T>& task, Stream stream) {
  // A row with a multiprocessor of its own needs all the threads that registers allow. The longest radices
  // are those of shorter lengths.
  if constexpr (sizeof(T) == 4)
    if (task.fft.length > larmor::cuda::longest_line)
      return launch_rows<T, 1024, 16, summarised>(task, stream);
  launch_rows<T, threads, 20, summarised>(task, stream);
}

template <typename T>
void transform_rows(const RowTask<T>& task, Stream stream) {
  if (task.count == 0) return;
  if (task.summaries) return choose_rows<T, true>(task, stream);
  choose_rows<T, false>(task, stream);
}

template <typename T>
void clear_tails(std::complex<T>* rows, std::int64_t pitch, std::int64_t columns, std::int64_t count,
                 Stream stream) {
  const auto bytes = [](std::int64_t values) {
    return static_cast<std::size_t>(values) * sizeof(Complex<T>);
  };
  larmor::cuda::check(cudaMemset2DAsync(rows + columns, bytes(pitch), 0, bytes(pitch - columns),
                                        static_cast<std::size_t>(count), stream),
                      "clearing the rows' tails");
}

template <typename T>
void pad_rows(const std::complex<T>* signal, std::int64_t pitch, std::int64_t columns, std::int64_t count,
              std::complex<T>* buffer, std::int64_t length, std::int64_t batch, Stream stream) {
  pad_kernel<T><<<grid_of(length, batch), threads, 0, stream>>>(
      reinterpret_cast<const Complex<T>*>(signal), pitch, columns, count,
      reinterpret_cast<Complex<T>*>(buffer), length);
  larmor::cuda::check_launch("pad_rows");
}

template <typename T>
void multiply_rows(const std::complex<T>* filter, std::complex<T>* buffer, std::int64_t length,
                   std::int64_t batch, Stream stream) {
  const dim3 grid(static_cast<unsigned>((length + threads - 1) / threads),
                  static_cast<unsigned>((batch + filtered_rows - 1) / filtered_rows));
  multiply_kernel<T><<<grid, threads, 0, stream>>>(reinterpret_cast<const Complex<T>*>(filter),
                                                   reinterpret_cast<Complex<T>*>(buffer), length, batch);
  larmor::cuda::check_launch("multiply_rows");
}

template <typename T>
void finish_rows(const RowTask<T>& task, Stream stream) {
  if (task.count == 0) return;
  const auto kernel = task.summaries ? finish_kernel<T, true> : finish_kernel<T, false>;
  kernel<<<static_cast<unsigned>(task.count), threads, 0, stream>>>(task);
  larmor::cuda::check_launch("finish_rows");
}

#define LARMOR_INSTANTIATE(T)                                                                          \
  template void transform_rows<T>(const RowTask<T>&, Stream);                                          \
  template void clear_tails<T>(std::complex<T>*, std::int64_t, std::int64_t, std::int64_t, Stream);    \
  template void pad_rows<T>(const std::complex<T>*, std::int64_t, std::int64_t, std::int64_t,          \
                            std::complex<T>*, std::int64_t, std::int64_t, Stream);                     \
  template void multiply_rows<T>(const std::complex<T>*, std::complex<T>*, std::int64_t, std::int64_t, \
                                 Stream);                                                              \
  template void finish_rows<T>(const RowTask<T>&, Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::sparse_fft::cuda
