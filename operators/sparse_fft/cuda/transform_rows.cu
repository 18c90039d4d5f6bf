#include <larmor/core/cuda/line_fft.cuh>
#include <larmor/operators/sparse_fft/cuda/kernels.hpp>

#include <cuda_runtime.h>

namespace larmor::sparse_fft::cuda {
namespace {

using larmor::cuda::Complex;
using larmor::cuda::dft;
using larmor::cuda::swapped;
using larmor::cuda::unrolled;

constexpr int threads = 512;

/// Where value e of a row lies in shared memory: one place in 17 stays free, so that butterflies of
/// neighbouring values, which come last, do not meet in one bank.
__host__ __device__ constexpr std::int64_t padded(std::int64_t e) {
  return e + (e >> 4);
}

// One stage on a row in shared memory, which is made of blocks of `block` values; see line_fft.cuh.
template <int radix, typename T>
__device__ __forceinline__ void stage(Complex<T>* shared, const Complex<T>* twiddles, int length, int block,
                                      bool backward) {
  const int next = block / radix;
  for (int b = static_cast<int>(threadIdx.x); b < length / radix; b += threads) {
    const int j = b % next, base = b / next * block + j;
    const Complex<T>* row = twiddles + j * (radix + radix % 2);
    Complex<T> v[radix];
    unrolled<radix>([&](auto r) { v[r] = shared[padded(base + r * next)]; });
    if (backward && next > 1) larmor::cuda::twiddle<radix>(v, row);
    dft<radix>(v);
    if (!backward && next > 1) larmor::cuda::twiddle<radix>(v, row);
    unrolled<radix>([&](auto r) { shared[padded(base + r * next)] = v[r]; });
  }
}

template <typename T>
__device__ __noinline__ void stages(Complex<T>* shared, const larmor::cuda::LineFft<T>* fft, bool backward) {
  const int count = fft->radices.stages;
  for (int i = 0; i < count; ++i) {
    const int s = backward ? count - 1 - i : i;
    int block = fft->length;
    const auto* row = reinterpret_cast<const Complex<T>*>(fft->twiddles);
    for (int before = 0; before < s; ++before) {
      const int radix = fft->radices.radix[before];
      block /= radix;
      row += block * (radix + radix % 2);
    }
    switch (fft->radices.radix[s]) {
#define LARMOR_CASE(radix)                                   \
  case radix:                                                \
    stage<radix>(shared, row, fft->length, block, backward); \
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
    __syncthreads();
  }
}

// One summary of all threads, in an order that is always the same.
__device__ RowSummary reduced(RowSummary mine) {
  constexpr int warps = threads / 32;
  __shared__ double energy[warps], peak[warps];
  __shared__ std::int64_t column[warps];
  for (int step = 16; step > 0; step /= 2) {
    RowSummary other;
    other.energy = __shfl_down_sync(~0u, mine.energy, step);
    other.peak = __shfl_down_sync(~0u, mine.peak, step);
    other.column = __shfl_down_sync(~0u, static_cast<long long>(mine.column), step);
    mine.take(other);
  }
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) {
    energy[warp] = mine.energy;
    peak[warp] = mine.peak;
    column[warp] = mine.column;
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < warps; ++w) mine.take(RowSummary{energy[w], peak[w], column[w]});
  return mine;
}

// The row's spectrum to where it goes: value(v) gives F[u][v].
template <typename T, typename Value>
__device__ __forceinline__ void finish(const RowTask<T>& task, const Value& value) {
  const std::int64_t u = task.first + blockIdx.x;
  RowSummary summary;
  for (std::int64_t v = threadIdx.x; v < task.where.columns; v += threads) {
    const Complex<T> f = value(v);
    if (task.where.direct) task.where.put(u, v, f.re, f.im);
    if (task.summaries) {
      const auto re = static_cast<double>(f.re), im = static_cast<double>(f.im);
      summary.take(re * re + im * im, v, u == 0 && v == 0);
    }
  }
  if (!task.summaries) return;
  summary = reduced(summary);
  if (threadIdx.x == 0) task.summaries[u - task.where.first] = summary;
}

template <typename T>
__global__ void __launch_bounds__(threads) rows_kernel(const __grid_constant__ RowTask<T> task) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* shared = reinterpret_cast<Complex<T>*>(memory);
  const auto* signal = reinterpret_cast<const Complex<T>*>(task.signal) + blockIdx.x * task.pitch;
  const int length = task.fft.length;
  for (int e = static_cast<int>(threadIdx.x); e < length; e += threads)
    shared[padded(e)] = e < task.where.columns ? signal[e] : Complex<T>{0, 0};
  __syncthreads();
  stages(shared, &task.fft, false);
  if (!task.chirp) {
    finish(task, [&](std::int64_t v) { return shared[padded(task.fft.position[v])]; });
    return;
  }
  const auto* filter = reinterpret_cast<const Complex<T>*>(task.filter);
  for (int e = static_cast<int>(threadIdx.x); e < length; e += threads) {
    Complex<T>& value = shared[padded(e)];
    value = swapped(value * filter[e]);
  }
  __syncthreads();
  stages(shared, &task.fft, true);
  const auto* chirp = reinterpret_cast<const Complex<T>*>(task.chirp);
  finish(task, [&](std::int64_t v) { return swapped(shared[padded(v)]) * chirp[v]; });
}

template <typename T>
__global__ void __launch_bounds__(threads) finish_kernel(const __grid_constant__ RowTask<T> task) {
  const auto* row = reinterpret_cast<const Complex<T>*>(task.signal) + blockIdx.x * task.pitch;
  const auto* chirp = reinterpret_cast<const Complex<T>*>(task.chirp);
  finish(task, [&](std::int64_t v) { return chirp ? row[v] * chirp[v] : row[v]; });
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

template <typename T>
__global__ void __launch_bounds__(threads)
    multiply_kernel(const Complex<T>* filter, Complex<T>* buffer, std::int64_t length) {
  const std::int64_t row = blockIdx.y;
  for (std::int64_t e = std::int64_t{blockIdx.x} * threads + threadIdx.x; e < length;
       e += std::int64_t{gridDim.x} * threads)
    buffer[row * length + e] = buffer[row * length + e] * filter[e];
}

dim3 grid_of(std::int64_t length, std::int64_t batch) {
  const std::int64_t blocks = (length + threads - 1) / threads;
  return dim3(static_cast<unsigned>(blocks < 256 ? blocks : 256), static_cast<unsigned>(batch));
}

}  // namespace

template <typename T>
std::size_t shared_row_bytes(std::int64_t length) {
  return static_cast<std::size_t>(padded(length - 1) + 1) * sizeof(Complex<T>);
}

std::size_t most_shared_bytes() {
  int device = 0, bytes = 0;
  larmor::cuda::check(cudaGetDevice(&device), "asking for the current device");
  larmor::cuda::check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
                      "asking for the size of shared memory");
  return static_cast<std::size_t>(bytes) - 2048;
}

template <typename T>
void transform_rows(const RowTask<T>& task, Stream stream) {
  if (task.count == 0) return;
  const std::size_t bytes = shared_row_bytes<T>(task.fft.length);
  larmor::cuda::check(cudaFuncSetAttribute(rows_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(bytes)),
                      "asking for shared memory");
  rows_kernel<T><<<static_cast<unsigned>(task.count), threads, bytes, stream>>>(task);
  larmor::cuda::check_launch("transform_rows");
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
  multiply_kernel<T><<<grid_of(length, batch), threads, 0, stream>>>(
      reinterpret_cast<const Complex<T>*>(filter), reinterpret_cast<Complex<T>*>(buffer), length);
  larmor::cuda::check_launch("multiply_rows");
}

template <typename T>
void finish_rows(const RowTask<T>& task, Stream stream) {
  if (task.count == 0) return;
  finish_kernel<T><<<static_cast<unsigned>(task.count), threads, 0, stream>>>(task);
  larmor::cuda::check_launch("finish_rows");
}

#define LARMOR_INSTANTIATE(T)                                                                          \
  template std::size_t shared_row_bytes<T>(std::int64_t);                                              \
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
