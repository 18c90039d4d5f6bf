#include <larmor/core/vectors/cuda/for_each.hpp>
#include <larmor/operators/nufft/grid/cuda/grid_transform.hpp>
#include <larmor/operators/nufft/grid/cuda/long_lines.hpp>

#include <algorithm>

namespace larmor::nufft {

template <typename T>
CudaGridTransform<T>::CudaGridTransform(const Shape& image, const GridChoice<T>& choice,
                                        const GridTransformOptions& options, Context& ctx)
    : dims_(image.rank()) {
  const Device device = ctx.device();
  // For a line this long, one block of threads would take too long.
  constexpr Index longest_alone = 2048;
  const bool alone = dims_ == 1 && options.blocks * options.lanes == 1;
  Index inner = options.lanes;
  for (int a = 0; a < dims_; ++a) {
    Axis& axis = axis_[a];
    const Index pixels = image[dims_ - 1 - a], length = choice.grid[a];
    axis.image = static_cast<int>(pixels);
    axis.grid = static_cast<int>(length);
    int alike = 0;
    while (axis_[alike].grid != axis.grid || axis_[alike].image != axis.image) ++alike;
    if (alike == a) {
      axis.deapodise = Array<T>({pixels}, device);
      larmor::cuda::for_each(InverseTransform<T>{choice.transform(pixels, a), 1 / static_cast<double>(length),
                                                 pixels / 2, axis.deapodise.data()},
                             pixels, ctx.stream());
    }
    axis.factors = axis_[alike].deapodise.data();
    if (length > (alone ? longest_alone : Index{larmor::cuda::longest_line})) {
      std::size_t work = 0;
      axis.long_plan = cuda::make_long_line_plan(length, inner, 1, inner, sizeof(T) == 8, &work);
      long_work_bytes_ = std::max(long_work_bytes_, work);
      const Index rows = dims_ == 1 ? options.blocks : image[dims_ - 2] / 2;
      if (a == 0 && options.lanes == 1 && rows > 1) {
        axis.rows = static_cast<int>(rows);
        axis.rows_plan = cuda::make_long_line_plan(length, 1, length, rows, sizeof(T) == 8, &work);
        long_work_bytes_ = std::max(long_work_bytes_, work);
      }
    } else {
      int same = 0;
      while (axis_[same].grid != axis.grid) ++same;
      if (same == a) {
        Array<std::byte> tables({static_cast<Index>(larmor::cuda::line_table_bytes<T>(axis.grid))});
        larmor::cuda::fill_line_tables<T>(axis.grid, tables.data());
        axis.line_tables = moved_to(device, std::move(tables));
      }
      axis.line = larmor::cuda::line_fft<T>(axis.grid, axis_[same].line_tables.data());
    }
    inner *= length;
  }
}

template <typename T>
CudaGridTransform<T>::~CudaGridTransform() {
  for (const Axis& axis : axis_)
    for (const int plan : {axis.long_plan, axis.rows_plan})
      if (plan != 0) cuda::destroy_long_line_plan(plan);
}

template <typename T>
std::size_t CudaGridTransform<T>::scratch_bytes(const Context&, const Coils&) const {
  return Arena::rounded(long_work_bytes_);
}

template <typename T>
std::size_t CudaGridTransform<T>::table_bytes() const {
  std::size_t bytes = 0;
  for (const Axis& axis : axis_) bytes += axis.deapodise.view().bytes();
  return bytes;
}

template <typename T>
cuda::RowPass<T> CudaGridTransform<T>::row_pass(C* grid, const Coils& coils) const {
  cuda::RowPass<T> pass;
  pass.fft = axis_[0].line;
  for (int a = 0; a < 3; ++a) {
    pass.image[a] = axis_[a].image;
    pass.window[a] = cuda::Window::centred(axis_[a].image, axis_[a].grid);
    pass.deapodise[a] = axis_[a].factors;
  }
  pass.row = static_cast<std::int64_t>(axis_[0].grid) * coils.lanes;
  pass.plane = pass.row * axis_[1].grid;
  pass.block = pass.plane * axis_[2].grid;
  pass.coils = coils;
  pass.grid = grid;
  return pass;
}

// y: for each plane of the image; z: for all lines.
template <typename T>
cuda::LinePass<T> CudaGridTransform<T>::line_pass(int axis, C* grid, const Coils& coils) const {
  cuda::LinePass<T> pass;
  pass.fft = axis_[axis].line;
  pass.window = cuda::Window::centred(axis_[axis].image, axis_[axis].grid);
  pass.grid = grid;
  pass.stride = static_cast<std::int64_t>(axis_[0].grid) * coils.lanes * (axis == 2 ? axis_[1].grid : 1);
  pass.inner = pass.stride;
  if (axis == 1) {
    pass.outer = axis_[2].image;
    pass.outer_window = cuda::Window::centred(axis_[2].image, axis_[2].grid);
    pass.outer_stride = pass.stride * axis_[1].grid;
  }
  pass.block = static_cast<std::int64_t>(axis_[0].grid) * axis_[1].grid * axis_[2].grid * coils.lanes;
  pass.blocks = coils.blocks();
  pass.lanes = coils.lanes;
  return pass;
}

template <typename T>
void CudaGridTransform<T>::to_grid(const C* images, C* grid, const Coils& coils, double scale,
                                   Context& ctx) const {
  Scratch scratch(ctx);
  void* work = scratch.take<std::byte>({static_cast<Index>(long_work_bytes_)}).data();
  cuda::RowPass<T> rows = row_pass(grid, coils);
  rows.images = const_cast<C*>(images);  // forward passes only read the images
  rows.scale = scale;
  if (axis_[0].long_plan != 0)
    cuda::long_rows_forward(rows, axis_[0].grid, long_plan(0, work), ctx.stream());
  else
    cuda::rows_forward(rows, ctx.stream());
  for (int a = 1; a < dims_; ++a) {
    const cuda::LinePass<T> lines = line_pass(a, grid, coils);
    if (axis_[a].long_plan != 0)
      cuda::long_lines(lines, -1, long_plan(a, work), ctx.stream());
    else
      cuda::lines_forward(lines, ctx.stream());
  }
}

template <typename T>
void CudaGridTransform<T>::from_grid(C* grid, C* images, const Coils& coils, double scale, Context& ctx,
                                     bool accumulate) const {
  Scratch scratch(ctx);
  void* work = scratch.take<std::byte>({static_cast<Index>(long_work_bytes_)}).data();
  for (int a = dims_ - 1; a > 0; --a) {
    const cuda::LinePass<T> lines = line_pass(a, grid, coils);
    if (axis_[a].long_plan != 0)
      cuda::long_lines(lines, +1, long_plan(a, work), ctx.stream());
    else
      cuda::lines_backward(lines, ctx.stream());
  }
  cuda::RowPass<T> rows = row_pass(grid, coils);
  rows.images = images;
  rows.scale = scale;
  rows.accumulate = accumulate;
  if (axis_[0].long_plan != 0)
    cuda::long_rows_backward(rows, long_plan(0, work), ctx.stream());
  else
    cuda::rows_backward(rows, ctx.stream());
}

template class CudaGridTransform<float>;
template class CudaGridTransform<double>;

}  // namespace larmor::nufft
