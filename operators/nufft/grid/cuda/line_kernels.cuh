#pragma once

#include <larmor/operators/nufft/grid/cuda/line_column.cuh>

namespace larmor::nufft::cuda {
namespace {

template <typename T, typename Line, bool forward>
__global__ void __launch_bounds__(Line::threads, Line::blocks)
    lines_kernel(const __grid_constant__ LinePass<T> pass, int columns_log2) {
  extern __shared__ __align__(16) unsigned char memory[];
  larmor::cuda::wait_for_earlier_kernels();
  const Line line(pass.fft, reinterpret_cast<Complex<T>*>(memory), columns_log2);
  const LineColumn<T> column(pass, line.columns_log2());
  const Inner all{line.columns_log2()};
  const auto load = [&]<int n>(int, int first, int step, Complex<T>(&v)[n]) {
    column.load(pass, first, step, forward, v);
  };
  const auto store = [&]<int n>(int, int first, int step, const Complex<T>(&v)[n], int, int) {
    column.store(pass, first, step, !forward, v);
  };
  if constexpr (forward)
    line.forward(load, all, store, all, live_part(pass.window));
  else
    line.backward(load, all, store, all, live_part(pass.window));
}

template <typename T, bool forward>
void launch_lines(const LinePass<T>& pass, const char* name, larmor::cuda::Stream stream) {
  with_line<T, false>(pass.fft.length, [&]<typename Line>(std::type_identity<Line>) {
    const int columns_log2 = tile_columns_log2<T, Line>(pass.fft.length);
    launch<T, Line>(lines_kernel<T, Line, forward>, name, line_tiles<T, Line>(pass, columns_log2),
                    pass.blocks, Line::bytes(pass.fft.length, columns_log2), columns_log2, stream, pass);
  });
}

}  // namespace

template <typename T>
void lines_forward(const LinePass<T>& pass, larmor::cuda::Stream stream) {
  launch_lines<T, true>(pass, "lines_forward", stream);
}
template <typename T>
void lines_backward(const LinePass<T>& pass, larmor::cuda::Stream stream) {
  launch_lines<T, false>(pass, "lines_backward", stream);
}

}  // namespace larmor::nufft::cuda
