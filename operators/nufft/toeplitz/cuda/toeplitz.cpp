#include <larmor/operators/nufft/grid/cuda/line_passes.hpp>
#include <larmor/operators/nufft/grid/cuda/long_lines.hpp>
#include <larmor/operators/nufft/toeplitz/cuda/toeplitz.hpp>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

template <typename T>
std::int64_t grid_cells(const ToeplitzPasses<T>& passes) {
  std::int64_t cells = 1;
  for (int a = 0; a < passes.dims; ++a) cells *= passes.grid_length(a);
  return cells;
}

template <typename T>
RowPass<T> row_pass(const ToeplitzPasses<T>& passes, std::complex<T>* grid, const Coils& coils) {
  RowPass<T> pass;
  pass.fft = passes.line[0];
  for (int a = 0; a < 3; ++a) {
    pass.image[a] = passes.image[a];
    pass.window[a] = Window::first(passes.image[a], a < passes.dims ? passes.grid_length(a) : 1);
  }
  pass.row = static_cast<std::int64_t>(passes.grid_length(0)) * coils.lanes;
  pass.plane = pass.row * (passes.dims > 1 ? passes.grid_length(1) : 1);
  pass.block = grid_cells(passes) * coils.lanes;
  pass.coils = coils;
  pass.grid = grid;
  return pass;
}

template <typename T>
LinePass<T> line_pass(const ToeplitzPasses<T>& passes, int axis, std::complex<T>* grid, const Coils& coils) {
  LinePass<T> pass;
  pass.fft = passes.line[axis];
  pass.window = Window::first(passes.image[axis], passes.line_length(axis));
  pass.grid = grid;
  pass.cells_x = passes.grid_length(0);
  pass.stride =
      static_cast<std::int64_t>(pass.cells_x) * coils.lanes * (axis == 2 ? passes.grid_length(1) : 1);
  pass.inner = pass.stride;
  if (passes.dims == 3 && axis == 1) {
    pass.outer = passes.image[2];
    pass.outer_window = Window::first(passes.image[2], passes.image[2]);
    pass.outer_stride = pass.stride * passes.grid_length(1);
  }
  pass.block = grid_cells(passes) * coils.lanes;
  pass.blocks = coils.blocks();
  pass.lanes = coils.lanes;
  pass.spectrum = passes.spectrum;
  pass.padded_x = passes.padded[0];
  return pass;
}

}  // namespace

template <typename T>
std::size_t toeplitz_scratch_bytes(const ToeplitzPasses<T>& passes, int lanes, int blocks) {
  return static_cast<std::size_t>(grid_cells(passes)) * static_cast<std::size_t>(lanes) *
         static_cast<std::size_t>(blocks) * sizeof(std::complex<T>);
}

template <typename T>
void toeplitz_apply(const ToeplitzPasses<T>& passes, const std::complex<T>* x, const std::complex<T>* maps,
                    std::complex<T>* y, const Coils& coils, int blocks, std::complex<T>* scratch,
                    bool accumulate, larmor::cuda::Stream stream) {
  const std::int64_t pixels = static_cast<std::int64_t>(passes.image[0]) * passes.image[1] * passes.image[2];
  const int outer = passes.dims - 1;
  const auto parities = [&](int axis) {
    return axis < outer && passes.low_memory && passes.padded[axis] > 1 ? 2 : 1;
  };
  for (std::int64_t first = 0; first < coils.count; first += std::int64_t{blocks} * coils.lanes) {
    const Coils part{std::min<std::int64_t>(coils.count - first, std::int64_t{blocks} * coils.lanes),
                     coils.lanes};
    RowPass<T> load = row_pass(passes, scratch, part);
    load.maps = maps ? maps + first * pixels : nullptr;
    RowPass<T> store = load;
    load.images = const_cast<std::complex<T>*>(maps ? x : x + first * pixels);  // forward passes only read
    store.images = maps ? y : y + first * pixels;
    store.accumulate = accumulate || (maps && first > 0);
    if (passes.dims == 1) {
      const int length = passes.padded[0];
      const LongPlan plan{passes.long_plan, passes.long_work};
      const bool is_long = length > larmor::cuda::longest_line;
      is_long ? long_rows_forward(load, length, plan, stream) : rows_forward(load, stream);
      multiply_lines(scratch, passes.spectrum, length, part.lanes, part.blocks(), stream);
      is_long ? long_rows_backward(store, length, plan, stream) : rows_backward(store, stream);
      continue;
    }
    LinePass<T> convolve = line_pass(passes, outer, scratch, part);
    for (int parity_y = 0; parity_y < parities(1); ++parity_y)
      for (int parity_x = 0; parity_x < parities(0); ++parity_x) {
        load.phase[0] = store.phase[0] = parity_x ? passes.phase[0] : nullptr;
        load.phase[1] = store.phase[1] = parity_y ? passes.phase[1] : nullptr;
        convolve.step[0] = parities(0);
        convolve.step[1] = parities(1);
        convolve.offset[0] = parity_x;
        convolve.offset[1] = parity_y;
        rows_forward(load, stream);
        if (passes.dims == 3) lines_forward(line_pass(passes, 1, scratch, part), stream);
        lines_convolve(convolve, stream);
        if (passes.dims == 3) lines_backward(line_pass(passes, 1, scratch, part), stream);
        rows_backward(store, stream);
        store.accumulate = true;
      }
  }
}

#define LARMOR_INSTANTIATE(T)                                                                               \
  template std::size_t toeplitz_scratch_bytes<T>(const ToeplitzPasses<T>&, int, int);                       \
  template void toeplitz_apply<T>(const ToeplitzPasses<T>&, const std::complex<T>*, const std::complex<T>*, \
                                  std::complex<T>*, const Coils&, int, std::complex<T>*, bool,              \
                                  larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
