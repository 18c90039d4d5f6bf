#pragma once

#include <larmor/operators/nufft/cuda/line_launch.cuh>

namespace larmor::nufft::cuda {
namespace {

using larmor::cuda::Complex;
using larmor::cuda::Inner;
using larmor::cuda::unrolled;

// A thread stays with one line of its tile.
template <typename T>
struct LineColumn {
  __device__ LineColumn(const LinePass<T>& pass, int columns_log2) {
    const std::int64_t columns = std::int64_t{1} << columns_log2, tile = blockIdx.x,
                       chunks = (pass.inner + columns - 1) >> columns_log2;
    const int outer = static_cast<int>(tile / chunks);
    index = (tile - outer * chunks) * columns + (threadIdx.x & (columns - 1));
    on = index < pass.inner;
    values = reinterpret_cast<Complex<T>*>(pass.grid) + blockIdx.y * pass.block +
             pass.outer_window.cell(outer) * pass.outer_stride + index;
  }
  std::int64_t index;
  bool on;
  Complex<T>* values;

  template <int n>
  __device__ __forceinline__ void load(const LinePass<T>& pass, int first, int step, bool windowed,
                                       Complex<T> (&v)[n]) const {
    const Complex<T>* from = values + first * pass.stride;
    const std::int64_t jump = step * pass.stride;
    unrolled<n>([&](auto r) {
      const bool wanted = on && (!windowed || pass.window.holds(first + r * step));
      v[r] = wanted ? from[r * jump] : Complex<T>{0, 0};
    });
  }
  template <int n>
  __device__ __forceinline__ void store(const LinePass<T>& pass, int first, int step, bool windowed,
                                        const Complex<T> (&v)[n]) const {
    Complex<T>* to = values + first * pass.stride;
    const std::int64_t jump = step * pass.stride;
    unrolled<n>([&](auto r) {
      if (on && (!windowed || pass.window.holds(first + r * step))) to[r * jump] = v[r];
    });
  }
};

template <typename T, typename Line>
__global__ void __launch_bounds__(Line::threads, Line::blocks)
    lines_forward_kernel(const __grid_constant__ LinePass<T> pass, int columns_log2) {
  extern __shared__ __align__(16) unsigned char memory[];
  const Line line(pass.fft, reinterpret_cast<Complex<T>*>(memory), columns_log2);
  const LineColumn<T> column(pass, line.columns_log2());
  const Inner all{line.columns_log2()};
  line.forward(
      [&]<int n>(int, int first, int step, Complex<T>(&v)[n]) { column.load(pass, first, step, true, v); },
      all,
      [&]<int n>(int, int first, int step, const Complex<T>(&v)[n], int, int) {
        column.store(pass, first, step, false, v);
      },
      all);
}

template <typename T, typename Line>
__global__ void __launch_bounds__(Line::threads, Line::blocks)
    lines_backward_kernel(const __grid_constant__ LinePass<T> pass, int columns_log2) {
  extern __shared__ __align__(16) unsigned char memory[];
  const Line line(pass.fft, reinterpret_cast<Complex<T>*>(memory), columns_log2);
  const LineColumn<T> column(pass, line.columns_log2());
  const Inner all{line.columns_log2()};
  line.backward(
      [&]<int n>(int, int first, int step, Complex<T>(&v)[n]) { column.load(pass, first, step, false, v); },
      all,
      [&]<int n>(int, int first, int step, const Complex<T>(&v)[n], int, int) {
        column.store(pass, first, step, true, v);
      },
      all);
}

template <typename T, typename Line>
__global__ void __launch_bounds__(Line::threads, Line::blocks)
    lines_convolve_kernel(const __grid_constant__ LinePass<T> pass, int columns_log2) {
  extern __shared__ __align__(16) unsigned char memory[];
  const Line line(pass.fft, reinterpret_cast<Complex<T>*>(memory), columns_log2);
  const LineColumn<T> column(pass, line.columns_log2());
  const std::int64_t cell = column.index / pass.lanes, y = cell / pass.cells_x, x = cell - y * pass.cells_x;
  const T* spectrum = pass.spectrum + ((y * pass.step[1] + pass.offset[1]) * pass.padded_x +
                                       x * pass.step[0] + pass.offset[0]) *
                                          pass.fft.length;
  line.convolve(
      [&]<int n>(int, int first, int step, Complex<T>(&v)[n]) { column.load(pass, first, step, true, v); },
      [&]<int n>(int, int first, int step, T(&f)[n]) {
        unrolled<n>([&](auto r) { f[r] = column.on ? __ldg(spectrum + first + r * step) : T(0); });
      },
      [&]<int n>(int, int first, int step, const Complex<T>(&v)[n], int, int) {
        column.store(pass, first, step, true, v);
      });
}

template <typename T, typename Line>
std::int64_t line_tiles(const LinePass<T>& pass, int columns_log2) {
  return ((pass.inner + (1 << columns_log2) - 1) >> columns_log2) * pass.outer;
}

}  // namespace

template <typename T>
void lines_forward(const LinePass<T>& pass, larmor::cuda::Stream stream) {
  with_line<T>(pass.fft.length, [&]<typename Line>(std::type_identity<Line>) {
    const int columns_log2 = tile_columns_log2<T, Line>(pass.fft.length);
    launch<T, Line>(lines_forward_kernel<T, Line>, "lines_forward", line_tiles<T, Line>(pass, columns_log2),
                    pass.blocks, pass.fft.length, columns_log2, stream, pass);
  });
}

template <typename T>
void lines_backward(const LinePass<T>& pass, larmor::cuda::Stream stream) {
  with_line<T>(pass.fft.length, [&]<typename Line>(std::type_identity<Line>) {
    const int columns_log2 = tile_columns_log2<T, Line>(pass.fft.length);
    launch<T, Line>(lines_backward_kernel<T, Line>, "lines_backward", line_tiles<T, Line>(pass, columns_log2),
                    pass.blocks, pass.fft.length, columns_log2, stream, pass);
  });
}

template <typename T>
void lines_convolve(const LinePass<T>& pass, larmor::cuda::Stream stream) {
  with_line<T>(pass.fft.length, [&]<typename Line>(std::type_identity<Line>) {
    const int columns_log2 = tile_columns_log2<T, Line>(pass.fft.length);
    launch<T, Line>(lines_convolve_kernel<T, Line>, "lines_convolve", line_tiles<T, Line>(pass, columns_log2),
                    pass.blocks, pass.fft.length, columns_log2, stream, pass);
  });
}

}  // namespace larmor::nufft::cuda
