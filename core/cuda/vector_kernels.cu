#include <larmor/core/cuda/vector_kernels.hpp>

#include <larmor/core/cuda/complex_value.hpp>

#include <cuda_runtime.h>

namespace larmor::cuda {
namespace {

constexpr int threads = 256;

unsigned blocks_for(std::int64_t n) {
  const std::int64_t blocks = (n + threads - 1) / threads;
  return static_cast<unsigned>(blocks < 1 << 20 ? blocks : 1 << 20);
}

__global__ void nothing() {}

// Sums over a block, in a fixed order; the result is valid in thread 0.
__device__ double2 block_sum(double2 value) {
  __shared__ double2 warps[threads / 32];
  for (int step = 16; step > 0; step /= 2) {
    value.x += __shfl_down_sync(0xffffffffu, value.x, step);
    value.y += __shfl_down_sync(0xffffffffu, value.y, step);
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < threads / 32; ++w) value.x += warps[w].x, value.y += warps[w].y;
  return value;
}

// blockIdx.y is the pair. The last block of a pair to finish sums the results of the others.
template <typename T>
__global__ void __launch_bounds__(threads) dots_kernel(DotOperands<T> operands, std::int64_t n,
                                                       double* partial, unsigned* finished, double* result) {
  const int pair = static_cast<int>(blockIdx.y);
  const auto* x = reinterpret_cast<const ComplexValue<T>*>(operands.x[pair]);
  const auto* y = reinterpret_cast<const ComplexValue<T>*>(operands.y[pair]);
  double2 sum{0, 0};
  for (std::int64_t i = blockIdx.x * threads + threadIdx.x; i < n; i += std::int64_t{gridDim.x} * threads) {
    const ComplexValue<T> a = x[i], b = y[i];
    const double ar = a.re, ai = a.im, br = b.re, bi = b.im;
    sum.x += ar * br + ai * bi;
    sum.y += ar * bi - ai * br;
  }
  sum = block_sum(sum);
  auto* sums = reinterpret_cast<double2*>(partial) + pair * ReductionBuffers::most_blocks;
  __shared__ bool last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(&finished[pair], 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  double2 total{0, 0};
  for (unsigned b = threadIdx.x; b < gridDim.x; b += threads) {
    const volatile double* from = partial + 2 * (pair * ReductionBuffers::most_blocks + b);
    total.x += from[0];
    total.y += from[1];
  }
  total = block_sum(total);
  if (threadIdx.x == 0) {
    result[2 * pair] = total.x;
    result[2 * pair + 1] = total.y;
    finished[pair] = 0;
  }
}

__device__ double larger(double a, double b) {
  return b <= a ? a : (b != b ? INFINITY : b);
}

template <typename T>
__global__ void __launch_bounds__(threads) max_kernel(const std::complex<T>* x, std::int64_t n,
                                                      double* partial, unsigned* finished, double* result) {
  __shared__ double values[threads];
  __shared__ bool last;
  const auto block_max = [&](double value) {
    __syncthreads();
    values[threadIdx.x] = value;
    __syncthreads();
    for (int step = threads / 2; step > 0; step /= 2) {
      if (threadIdx.x < static_cast<unsigned>(step))
        values[threadIdx.x] = larger(values[threadIdx.x], values[threadIdx.x + step]);
      __syncthreads();
    }
    return values[0];
  };
  const auto* in = reinterpret_cast<const ComplexValue<T>*>(x);
  double most = 0;
  for (std::int64_t i = blockIdx.x * threads + threadIdx.x; i < n; i += std::int64_t{gridDim.x} * threads) {
    const double re = in[i].re, im = in[i].im;
    most = larger(most, re * re + im * im);
  }
  most = block_max(most);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = most;
    __threadfence();
    last = atomicAdd(finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  most = 0;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += threads)
    most = larger(most, static_cast<const volatile double*>(partial)[b]);
  most = block_max(most);
  if (threadIdx.x == 0) {
    *result = most;
    *finished = 0;
  }
}

template <typename T, bool overwrite>
__global__ void combine_kernel(ComplexValue<T> a, const ComplexValue<T>* x, ComplexValue<T> b,
                               ComplexValue<T>* y, std::int64_t n) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * threads) {
    const ComplexValue<T> u = x[i];
    ComplexValue<T> sum{a.re * u.re - a.im * u.im, a.re * u.im + a.im * u.re};
    if constexpr (!overwrite) {
      const ComplexValue<T> v = y[i];
      sum.re += b.re * v.re - b.im * v.im;
      sum.im += b.re * v.im + b.im * v.re;
    }
    y[i] = sum;
  }
}

template <typename T, int count>
__global__ void linear_kernel(LinearTerms<T> terms, ComplexValue<T>* out, std::int64_t n) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * threads) {
    ComplexValue<T> sum{0, 0};
#pragma unroll
    for (int t = 0; t < count; ++t) {
      const ComplexValue<T> value = reinterpret_cast<const ComplexValue<T>*>(terms.x[t])[i];
      sum.re += terms.factor[t] * value.re;
      sum.im += terms.factor[t] * value.im;
    }
    out[i] = sum;
  }
}

template <typename T>
__global__ void fill_kernel(ComplexValue<T>* x, ComplexValue<T> value, std::int64_t n) {
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n;
       i += std::int64_t{gridDim.x} * threads)
    x[i] = value;
}

template <typename T>
ComplexValue<T> complex_value(std::complex<double> value) {
  return {static_cast<T>(value.real()), static_cast<T>(value.imag())};
}

unsigned reduction_blocks(std::int64_t n) {
  const std::int64_t blocks = (n + 4 * threads - 1) / (4 * threads);
  if (blocks < 1) return 1;
  return static_cast<unsigned>(blocks < ReductionBuffers::most_blocks ? blocks
                                                                      : ReductionBuffers::most_blocks);
}

}  // namespace

bool kernels_fit_device() {
  cudaFuncAttributes attributes;
  const bool fit = cudaFuncGetAttributes(&attributes, nothing) == cudaSuccess;
  cudaGetLastError();
  return fit;
}

ReductionBuffers make_reduction_buffers() {
  ReductionBuffers buffers;
  constexpr int pairs = ReductionBuffers::most_pairs, blocks = ReductionBuffers::most_blocks;
  check(cudaMalloc(&buffers.partial, sizeof(double) * 2 * pairs * blocks), "allocating a context's buffers");
  check(cudaMalloc(&buffers.finished, sizeof(unsigned) * pairs), "allocating a context's buffers");
  check(cudaMemset(buffers.finished, 0, sizeof(unsigned) * pairs), "setting up a context");
  check(cudaDeviceSynchronize(),
        "setting up a context");  // the stream of the work does not wait for this one
  void* host = nullptr;
  check(cudaHostAlloc(&host, sizeof(double) * 2 * pairs, cudaHostAllocMapped),
        "allocating a context's buffers");
  buffers.result = static_cast<volatile double*>(host);
  void* device = nullptr;
  check(cudaHostGetDevicePointer(&device, host, 0), "setting up a context");
  buffers.result_device = static_cast<double*>(device);
  return buffers;
}

void free_reduction_buffers(const ReductionBuffers& buffers) noexcept {
  cudaFree(buffers.partial);
  cudaFree(buffers.finished);
  cudaFreeHost(const_cast<double*>(buffers.result));
}

template <typename T>
void dots(const DotOperands<T>& operands, int pairs, std::int64_t n, const ReductionBuffers& buffers,
          Stream stream) {
  const dim3 grid(reduction_blocks(n), static_cast<unsigned>(pairs));
  dots_kernel<T>
      <<<grid, threads, 0, stream>>>(operands, n, buffers.partial, buffers.finished, buffers.result_device);
  check_launch("dots");
}

template <typename T>
void max_square(const std::complex<T>* x, std::int64_t n, const ReductionBuffers& buffers, Stream stream) {
  max_kernel<T><<<reduction_blocks(n), threads, 0, stream>>>(x, n, buffers.partial, buffers.finished,
                                                             buffers.result_device);
  check_launch("max_square");
}

template <typename T>
void combine(std::complex<double> a, const std::complex<T>* x, std::complex<double> b, std::complex<T>* y,
             std::int64_t n, Stream stream) {
  if (n == 0) return;
  const auto* in = reinterpret_cast<const ComplexValue<T>*>(x);
  auto* out = reinterpret_cast<ComplexValue<T>*>(y);
  if (b == std::complex<double>(0))
    combine_kernel<T, true>
        <<<blocks_for(n), threads, 0, stream>>>(complex_value<T>(a), in, complex_value<T>(b), out, n);
  else
    combine_kernel<T, false>
        <<<blocks_for(n), threads, 0, stream>>>(complex_value<T>(a), in, complex_value<T>(b), out, n);
  check_launch("combine");
}

template <typename T>
void combine(const LinearTerms<T>& terms, int count, std::complex<T>* out, std::int64_t n, Stream stream) {
  if (n == 0) return;
  using Kernel = void (*)(LinearTerms<T>, ComplexValue<T>*, std::int64_t);
  constexpr Kernel kernels[] = {linear_kernel<T, 1>, linear_kernel<T, 2>, linear_kernel<T, 3>,
                                linear_kernel<T, 4>, linear_kernel<T, 5>, linear_kernel<T, 6>};
  kernels[count - 1]<<<blocks_for(n), threads, 0, stream>>>(terms, reinterpret_cast<ComplexValue<T>*>(out),
                                                            n);
  check_launch("combine");
}

template <typename T>
void fill(std::complex<T>* x, std::complex<double> value, std::int64_t n, Stream stream) {
  if (n == 0) return;
  fill_kernel<T><<<blocks_for(n), threads, 0, stream>>>(reinterpret_cast<ComplexValue<T>*>(x),
                                                        complex_value<T>(value), n);
  check_launch("fill");
}

#define LARMOR_INSTANTIATE(T)                                                                         \
  template void dots<T>(const DotOperands<T>&, int, std::int64_t, const ReductionBuffers&, Stream);   \
  template void max_square<T>(const std::complex<T>*, std::int64_t, const ReductionBuffers&, Stream); \
  template void combine<T>(std::complex<double>, const std::complex<T>*, std::complex<double>,        \
                           std::complex<T>*, std::int64_t, Stream);                                   \
  template void combine<T>(const LinearTerms<T>&, int, std::complex<T>*, std::int64_t, Stream);       \
  template void fill<T>(std::complex<T>*, std::complex<double>, std::int64_t, Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::cuda
