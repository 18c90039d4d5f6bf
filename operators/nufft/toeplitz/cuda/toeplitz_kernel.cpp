#include <larmor/core/format_error.hpp>
#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/operators/nufft/grid/cuda/long_lines.hpp>
#include <larmor/operators/nufft/toeplitz/cuda/toeplitz_kernel.hpp>

#include <algorithm>

namespace larmor::nufft {
namespace {

// Grid values that are processed together in 2D: few enough to stay in the cache between the passes.
constexpr Index cached_values = Index{1} << 23;

template <typename T>
int lanes_for(Index coils) {
  const int most = sizeof(T) == 4 ? 8 : 4;
  int lanes = 1;
  while (lanes < most && lanes < coils) lanes *= 2;
  return lanes;
}

// Cells of the grid; in 1D those of the line transforms, which ToeplitzSizes does not include.
Index grid_cells(const ToeplitzSizes& sizes) {
  return sizes.dims == 1 ? sizes.padded[0] : sizes.grid_cells();
}

// Blocks of lanes that hold all coils.
template <typename T>
Index all_blocks(Index coils) {
  const int lanes = lanes_for<T>(coils);
  return std::min<Index>((coils + lanes - 1) / lanes, most_blocks);
}

template <typename T>
int blocks_for(const ToeplitzSizes& sizes, Index coils) {
  const Index values = grid_cells(sizes) * lanes_for<T>(coils);
  return static_cast<int>(std::clamp<Index>(cached_values / values, 1, all_blocks<T>(coils)));
}

}  // namespace

Index cuda_fast_length(Index n) {
  return larmor::cuda::fast_line_length(static_cast<int>(n));
}

template <typename T>
CudaToeplitzKernel<T>::CudaToeplitzKernel(SharedSpectra<T> spectra, Index coils, const Device& device)
    : ToeplitzKernel<T>(std::move(spectra)) {
  const ToeplitzSizes& s = this->sizes();
  for (int a = 0; a < s.dims; ++a) {
    const int length = line_length(a);
    if (length > larmor::cuda::longest_line) {
      if (s.dims > 1)
        throw usage_error(
            "Toeplitz on a GPU takes axes up to {} pixels, got {}; do not use the Toeplitz form",
            larmor::cuda::longest_line / 2, s.image[a])
            .about("toeplitz");
      const int lanes = lanes_for<T>(coils);
      long_plan_ = cuda::make_long_line_plan(length, lanes, 1, lanes, sizeof(T) == 8, &long_work_bytes_);
      continue;
    }
    Array<std::byte> host({static_cast<Index>(larmor::cuda::line_table_bytes<T>(length))});
    larmor::cuda::fill_line_tables<T>(length, host.data());
    line_tables_[a] = moved_to(device, std::move(host));
    line_[a] = larmor::cuda::line_fft<T>(length, line_tables_[a].data());
  }
}

template <typename T>
CudaToeplitzKernel<T>::~CudaToeplitzKernel() {
  if (long_plan_ != 0) cuda::destroy_long_line_plan(long_plan_);
}

template <typename T>
std::size_t CudaToeplitzKernel<T>::most_scratch_bytes(const ToeplitzSizes& sizes, Index coils) {
  const Index values = grid_cells(sizes) * lanes_for<T>(coils);
  return Scratch::bytes<C>({std::min(values * all_blocks<T>(coils), std::max(values, cached_values))});
}

template <typename T>
std::size_t CudaToeplitzKernel<T>::scratch_bytes(const Context&, Index coils) const {
  const ToeplitzSizes& s = this->sizes();
  return Scratch::bytes<C>({blocks_for<T>(s, coils), lanes_for<T>(coils), grid_cells(s)}) +
         Arena::rounded(long_work_bytes_);
}

template <typename T>
int CudaToeplitzKernel<T>::line_length(int axis) const {
  const ToeplitzSizes& s = this->sizes();
  return static_cast<int>(axis + 1 < s.dims ? s.grid[axis] : s.padded[axis]);
}
template <typename T>
int CudaToeplitzKernel<T>::grid_length(int axis) const {
  const ToeplitzSizes& s = this->sizes();
  return s.dims > 1 && axis == s.dims - 1 ? static_cast<int>(s.image[axis]) : line_length(axis);
}

template <typename T>
cuda::RowPass<T> CudaToeplitzKernel<T>::row_pass(C* grid, const Coils& coils) const {
  const ToeplitzSizes& s = this->sizes();
  cuda::RowPass<T> pass;
  pass.fft = line_[0];
  for (int a = 0; a < 3; ++a) {
    pass.image[a] = static_cast<int>(s.image[a]);
    pass.window[a] = cuda::Window::first(pass.image[a], a < s.dims ? grid_length(a) : pass.image[a]);
  }
  pass.row = static_cast<std::int64_t>(grid_length(0)) * coils.lanes;
  pass.plane = pass.row * (s.dims > 1 ? grid_length(1) : 1);
  pass.block = grid_cells(s) * coils.lanes;
  pass.coils = coils;
  pass.grid = grid;
  return pass;
}

template <typename T>
cuda::LinePass<T> CudaToeplitzKernel<T>::line_pass(int axis, C* grid, const Coils& coils) const {
  const ToeplitzSizes& s = this->sizes();
  cuda::LinePass<T> pass;
  pass.fft = line_[axis];
  pass.window = cuda::Window::first(static_cast<int>(s.image[axis]), line_length(axis));
  pass.grid = grid;
  pass.stride = static_cast<std::int64_t>(grid_length(0)) * coils.lanes * (axis == 2 ? grid_length(1) : 1);
  pass.inner = pass.stride;
  if (axis == 1) {
    pass.outer = static_cast<int>(s.image[2]);
    pass.outer_window = cuda::Window::first(pass.outer, pass.outer);
    pass.outer_stride = pass.stride * grid_length(1);
  }
  pass.block = grid_cells(s) * coils.lanes;
  pass.blocks = coils.blocks();
  pass.lanes = coils.lanes;
  pass.spectrum = this->values();
  return pass;
}

template <typename T>
void CudaToeplitzKernel<T>::run(const C* x, const C* maps, C* y, Index coils, bool accumulate,
                                const ImageWindow& window, Context& ctx) const {
  const ToeplitzSizes& s = this->sizes();
  if (window.extent != s.image) throw internal_error("Toeplitz: part of an image is not supported on a GPU");
  const int lanes = lanes_for<T>(coils), blocks = blocks_for<T>(s, coils), outer = s.dims - 1;
  Scratch scratch(ctx);
  C* grid = scratch.take<C>({blocks, lanes, grid_cells(s)}).data();
  const cuda::LongPlan long_plan{long_plan_,
                                 scratch.take<std::byte>({static_cast<Index>(long_work_bytes_)}).data()};
  const auto stream = ctx.stream();
  for (Index first = 0; first < coils; first += Index{blocks} * lanes) {
    const Coils part{std::min<Index>(coils - first, Index{blocks} * lanes), lanes};
    cuda::RowPass<T> load = row_pass(grid, part);
    load.maps = maps ? maps + first * s.pixels() : nullptr;
    cuda::RowPass<T> store = load;
    load.images = const_cast<C*>(maps ? x : x + first * s.pixels());  // forward passes only read the image
    store.images = maps ? y : y + first * s.pixels();
    store.accumulate = accumulate || (maps && first > 0);
    if (s.dims == 1) {
      const int length = line_length(0);
      if (long_plan_ != 0)
        cuda::long_rows_forward(load, length, long_plan, stream);
      else
        cuda::rows_forward(load, stream);
      cuda::multiply_lines(grid, this->values(), length, lanes, part.blocks(), stream);
      if (long_plan_ != 0)
        cuda::long_rows_backward(store, long_plan, stream);
      else
        cuda::rows_backward(store, stream);
      continue;
    }
    cuda::rows_forward(load, stream);
    if (s.dims == 3) cuda::lines_forward(line_pass(1, grid, part), stream);
    cuda::lines_convolve(line_pass(outer, grid, part), stream);
    if (s.dims == 3) cuda::lines_backward(line_pass(1, grid, part), stream);
    cuda::rows_backward(store, stream);
  }
}

template class CudaToeplitzKernel<float>;
template class CudaToeplitzKernel<double>;

}  // namespace larmor::nufft
