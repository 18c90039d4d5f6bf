#include <larmor/operators/cuda/elementwise.hpp>

#include <larmor/core/cuda/complex_value.hpp>

#include <cuda_runtime.h>

namespace larmor::cuda {
namespace {

constexpr int threads = 256;

dim3 blocks_for(std::int64_t n, std::int64_t rows = 1) {
  const std::int64_t blocks = (n + threads - 1) / threads;
  return dim3(static_cast<unsigned>(blocks < 1 << 30 ? blocks : 1 << 30),
              static_cast<unsigned>(rows < 1 << 15 ? rows : 1 << 15));
}

template <typename T>
__device__ void write(ComplexValue<T>& out, ComplexValue<T> value, bool accumulate) {
  if (accumulate) value.re += out.re, value.im += out.im;
  out = value;
}
__device__ std::int64_t first_index() {
  return std::int64_t{blockIdx.x} * threads + threadIdx.x;
}
__device__ std::int64_t index_step() {
  return std::int64_t{gridDim.x} * threads;
}

template <typename T>
__global__ void multiply_kernel(const ComplexValue<T>* w, const ComplexValue<T>* x, ComplexValue<T>* y,
                                std::int64_t n, bool conjugate, bool accumulate) {
  for (std::int64_t i = first_index(); i < n; i += index_step())
    write(y[i], conjugate ? conjugate_product(w[i], x[i]) : product(w[i], x[i]), accumulate);
}

template <typename T>
__global__ void scale_rows_kernel(const T* w, ComplexValue<T>* y, std::int64_t n, std::int64_t batch) {
  for (std::int64_t row = blockIdx.y; row < batch; row += gridDim.y)
    for (std::int64_t i = first_index(); i < n; i += index_step()) {
      ComplexValue<T>& value = y[row * n + i];
      value = {value.re * w[i], value.im * w[i]};
    }
}

template <typename T>
__global__ void coil_multiply_kernel(const ComplexValue<T>* maps, const ComplexValue<T>* x,
                                     ComplexValue<T>* y, std::int64_t pixels, std::int64_t coils,
                                     bool accumulate) {
  for (std::int64_t i = first_index(); i < pixels; i += index_step()) {
    const ComplexValue<T> value = x[i];
    for (std::int64_t c = 0; c < coils; ++c)
      write(y[c * pixels + i], product(maps[c * pixels + i], value), accumulate);
  }
}

template <typename T>
__global__ void coil_combine_kernel(const ComplexValue<T>* maps, const ComplexValue<T>* y, ComplexValue<T>* x,
                                    std::int64_t pixels, std::int64_t coils, bool accumulate) {
  for (std::int64_t i = first_index(); i < pixels; i += index_step()) {
    ComplexValue<T> sum{0, 0};
    for (std::int64_t c = 0; c < coils; ++c) {
      const ComplexValue<T> part = conjugate_product(maps[c * pixels + i], y[c * pixels + i]);
      sum.re += part.re;
      sum.im += part.im;
    }
    write(x[i], sum, accumulate);
  }
}

template <typename T>
__global__ void shifted_copy_kernel(Shifted map, const ComplexValue<T>* in, ComplexValue<T>* out,
                                    std::int64_t n, T factor, bool accumulate) {
  for (std::int64_t i = first_index(); i < n; i += index_step()) {
    std::int64_t rest = i, from = 0, stride = 1;
    bool inside = true;
    for (int axis = map.rank - 1; axis >= 0; --axis) {
      std::int64_t at = rest % map.out[axis] + map.shift[axis];
      rest /= map.out[axis];
      if (map.wrap) at = (at % map.in[axis] + map.in[axis]) % map.in[axis];
      inside = inside && at >= 0 && at < map.in[axis];
      from += at * stride;
      stride *= map.in[axis];
    }
    const ComplexValue<T> value = inside ? in[from] : ComplexValue<T>{0, 0};
    write(out[i], ComplexValue<T>{value.re * factor, value.im * factor}, accumulate);
  }
}

}  // namespace

template <typename T>
void multiply(const std::complex<T>* w, const std::complex<T>* x, std::complex<T>* y, std::int64_t n,
              bool conjugate, bool accumulate, Stream stream) {
  if (n == 0) return;
  multiply_kernel<T><<<blocks_for(n), threads, 0, stream>>>(complex_values(w), complex_values(x),
                                                            complex_values(y), n, conjugate, accumulate);
  check_launch("multiply");
}

template <typename T>
void scale_rows(const T* w, std::complex<T>* y, std::int64_t n, std::int64_t batch, Stream stream) {
  if (n == 0 || batch == 0) return;
  scale_rows_kernel<T><<<blocks_for(n, batch), threads, 0, stream>>>(w, complex_values(y), n, batch);
  check_launch("scale_rows");
}

template <typename T>
void coil_multiply(const std::complex<T>* maps, const std::complex<T>* x, std::complex<T>* y,
                   std::int64_t pixels, std::int64_t coils, bool accumulate, Stream stream) {
  if (pixels == 0) return;
  coil_multiply_kernel<T><<<blocks_for(pixels), threads, 0, stream>>>(
      complex_values(maps), complex_values(x), complex_values(y), pixels, coils, accumulate);
  check_launch("coil_multiply");
}

template <typename T>
void coil_combine(const std::complex<T>* maps, const std::complex<T>* y, std::complex<T>* x,
                  std::int64_t pixels, std::int64_t coils, bool accumulate, Stream stream) {
  if (pixels == 0) return;
  coil_combine_kernel<T><<<blocks_for(pixels), threads, 0, stream>>>(
      complex_values(maps), complex_values(y), complex_values(x), pixels, coils, accumulate);
  check_launch("coil_combine");
}

template <typename T>
void shifted_copy(const Shifted& map, const std::complex<T>* in, std::complex<T>* out, double factor,
                  bool accumulate, Stream stream) {
  std::int64_t n = 1;
  for (int axis = 0; axis < map.rank; ++axis) n *= map.out[axis];
  if (n == 0) return;
  shifted_copy_kernel<T><<<blocks_for(n), threads, 0, stream>>>(map, complex_values(in), complex_values(out),
                                                                n, static_cast<T>(factor), accumulate);
  check_launch("shifted_copy");
}

#define LARMOR_INSTANTIATE(T)                                                                               \
  template void multiply<T>(const std::complex<T>*, const std::complex<T>*, std::complex<T>*, std::int64_t, \
                            bool, bool, Stream);                                                            \
  template void scale_rows<T>(const T*, std::complex<T>*, std::int64_t, std::int64_t, Stream);              \
  template void coil_multiply<T>(const std::complex<T>*, const std::complex<T>*, std::complex<T>*,          \
                                 std::int64_t, std::int64_t, bool, Stream);                                 \
  template void coil_combine<T>(const std::complex<T>*, const std::complex<T>*, std::complex<T>*,           \
                                std::int64_t, std::int64_t, bool, Stream);                                  \
  template void shifted_copy<T>(const Shifted&, const std::complex<T>*, std::complex<T>*, double, bool,     \
                                Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::cuda
