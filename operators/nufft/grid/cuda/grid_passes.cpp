#include <larmor/operators/nufft/grid/cuda/grid_passes.hpp>
#include <larmor/operators/nufft/grid/cuda/line_passes.hpp>
#include <larmor/operators/nufft/grid/cuda/long_lines.hpp>

namespace larmor::nufft::cuda {
namespace {

template <typename T>
bool is_long(const GridPasses<T>& passes, int axis) {
  return passes.long_plan[axis] != 0;
}

template <typename T>
RowPass<T> row_pass(const GridPasses<T>& passes, std::complex<T>* grid, const Coils& coils) {
  RowPass<T> pass;
  pass.fft = passes.line[0];
  for (int a = 0; a < 3; ++a) {
    pass.image[a] = passes.image[a];
    pass.window[a] = Window::centred(passes.image[a], passes.grid[a]);
    pass.deapodise[a] = a < passes.dims ? passes.deapodise[a] : nullptr;
  }
  pass.row = static_cast<std::int64_t>(passes.grid[0]) * coils.lanes;
  pass.plane = pass.row * passes.grid[1];
  pass.block = pass.plane * passes.grid[2];
  pass.coils = coils;
  pass.grid = grid;
  return pass;
}

// y: for each plane that the image lies on; z: everything.
template <typename T>
LinePass<T> line_pass(const GridPasses<T>& passes, int axis, std::complex<T>* grid, const Coils& coils) {
  LinePass<T> pass;
  pass.fft = passes.line[axis];
  pass.window = Window::centred(passes.image[axis], passes.grid[axis]);
  pass.grid = grid;
  pass.stride = static_cast<std::int64_t>(passes.grid[0]) * coils.lanes * (axis == 2 ? passes.grid[1] : 1);
  pass.inner = pass.stride;
  if (axis == 1) {
    pass.outer = passes.image[2];
    pass.outer_window = Window::centred(passes.image[2], passes.grid[2]);
    pass.outer_stride = pass.stride * passes.grid[1];
  }
  pass.block = static_cast<std::int64_t>(passes.grid[0]) * passes.grid[1] * passes.grid[2] * coils.lanes;
  pass.blocks = coils.blocks();
  pass.lanes = coils.lanes;
  return pass;
}

}  // namespace

template <typename T>
void image_to_grid(const GridPasses<T>& passes, const std::complex<T>* images, const std::complex<T>* maps,
                   std::complex<T>* grid, const Coils& coils, double scale, larmor::cuda::Stream stream) {
  RowPass<T> rows = row_pass(passes, grid, coils);
  rows.images = const_cast<std::complex<T>*>(images);  // forward passes only read them
  rows.maps = maps;
  rows.scale = scale;
  if (is_long(passes, 0))
    long_rows_forward(rows, passes.grid[0], {passes.long_plan[0], passes.long_work}, stream);
  else
    rows_forward(rows, stream);
  for (int axis = 1; axis < passes.dims; ++axis) {
    const LinePass<T> lines = line_pass(passes, axis, grid, coils);
    if (is_long(passes, axis))
      long_lines(lines, passes.grid[axis], -1, {passes.long_plan[axis], passes.long_work}, stream);
    else
      lines_forward(lines, stream);
  }
}

template <typename T>
void grid_to_image(const GridPasses<T>& passes, std::complex<T>* grid, const std::complex<T>* maps,
                   std::complex<T>* images, const Coils& coils, double scale, bool accumulate,
                   larmor::cuda::Stream stream) {
  for (int axis = passes.dims - 1; axis > 0; --axis) {
    const LinePass<T> lines = line_pass(passes, axis, grid, coils);
    if (is_long(passes, axis))
      long_lines(lines, passes.grid[axis], +1, {passes.long_plan[axis], passes.long_work}, stream);
    else
      lines_backward(lines, stream);
  }
  RowPass<T> rows = row_pass(passes, grid, coils);
  rows.images = images;
  rows.maps = maps;
  rows.scale = scale;
  rows.accumulate = accumulate;
  if (is_long(passes, 0))
    long_rows_backward(rows, passes.grid[0], {passes.long_plan[0], passes.long_work}, stream);
  else
    rows_backward(rows, stream);
}

#define LARMOR_INSTANTIATE(T)                                                                          \
  template void image_to_grid<T>(const GridPasses<T>&, const std::complex<T>*, const std::complex<T>*, \
                                 std::complex<T>*, const Coils&, double, larmor::cuda::Stream);        \
  template void grid_to_image<T>(const GridPasses<T>&, std::complex<T>*, const std::complex<T>*,       \
                                 std::complex<T>*, const Coils&, double, bool, larmor::cuda::Stream);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
