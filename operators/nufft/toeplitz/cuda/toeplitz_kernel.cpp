#include <larmor/core/format_error.hpp>
#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/operators/nufft/grid/cuda/grid_passes.hpp>
#include <larmor/operators/nufft/toeplitz/cuda/toeplitz.hpp>
#include <larmor/operators/nufft/toeplitz/cuda/toeplitz_kernel.hpp>

#include <cmath>
#include <numbers>
#include <vector>

namespace larmor::nufft {
namespace {

// Grid values that are worked on at a time in 2D: small enough to stay in the cache between the passes.
constexpr Index cached_values = Index{1} << 23;

template <typename T>
int lanes_for(const ToeplitzSizes& sizes, Index coils) {
  // In the low-memory form every lane costs a grid.
  const int most = sizes.parities > 1 ? 2 : sizeof(T) == 4 ? 8 : 4;
  int lanes = 1;
  while (lanes < most && lanes < coils) lanes *= 2;
  return lanes;
}

// Cells of the grid: those of the line transforms in 1D, where ToeplitzSizes has none.
Index grid_cells(const ToeplitzSizes& sizes) {
  return sizes.dims == 1 ? sizes.padded[0] : sizes.grid_cells();
}

template <typename T>
int blocks_for(const ToeplitzSizes& sizes, Index coils) {
  const int lanes = lanes_for<T>(sizes, coils);
  const Index all = (coils + lanes - 1) / lanes;
  return static_cast<int>(std::clamp<Index>(cached_values / (grid_cells(sizes) * lanes), 1, all));
}

}  // namespace

Index cuda_fast_length(Index n) {
  return larmor::cuda::fast_line_length(static_cast<int>(n));
}

template <typename T>
struct CudaToeplitzKernel<T>::Tables {
  cuda::ToeplitzPasses<T> passes;
  Array<std::byte> line_tables[3];
  Array<C> phases[2];
  std::size_t long_work_bytes = 0;

  Tables() = default;
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;
  ~Tables() {
    if (passes.long_plan != 0) cuda::destroy_long_line_plan(passes.long_plan);
  }
};

template <typename T>
CudaToeplitzKernel<T>::CudaToeplitzKernel(const Shape& image, ToeplitzForm form, Spectrum<T> spectrum,
                                          Index coils, const Device& device)
    : ToeplitzKernel<T>(image, form, std::move(spectrum), device) {
  const ToeplitzSizes& s = this->sizes();
  auto tables = std::make_unique<Tables>();
  auto& passes = tables->passes;
  passes.dims = s.dims;
  passes.low_memory = s.parities > 1;
  passes.spectrum = this->spectrum()->data();
  for (int a = 0; a < 3; ++a) {
    passes.image[a] = static_cast<int>(s.image[a]);
    passes.padded[a] = static_cast<int>(s.padded[a]);
  }
  for (int a = 0; a < s.dims; ++a) {
    const int length = passes.line_length(a);
    if (length > larmor::cuda::longest_line) {
      if (s.dims > 1)
        throw usage_error(
            "Toeplitz on a GPU takes axes up to {} pixels, got {}; do without the Toeplitz form",
            larmor::cuda::longest_line / 2, s.image[a])
            .about("toeplitz");
      const int lanes = lanes_for<T>(s, coils);
      passes.long_plan =
          cuda::make_long_line_plan(length, lanes, lanes, sizeof(T) == 8, &tables->long_work_bytes);
      continue;
    }
    Array<std::byte> host({static_cast<Index>(larmor::cuda::line_table_bytes<T>(length))});
    larmor::cuda::fill_line_tables<T>(length, host.data());
    tables->line_tables[a] = moved_to(device, std::move(host));
    passes.line[a] = larmor::cuda::line_fft<T>(length, tables->line_tables[a].data());
    if (!passes.low_memory || a + 1 >= s.dims) continue;
    Array<C> phase({s.image[a]});
    for (Index n = 0; n < s.image[a]; ++n)
      phase[n] = C(
          std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(s.padded[a])));
    tables->phases[a] = moved_to(device, std::move(phase));
    passes.phase[a] = tables->phases[a].data();
  }
  tables_ = std::move(tables);
}

template <typename T>
CudaToeplitzKernel<T>::~CudaToeplitzKernel() = default;

template <typename T>
std::size_t CudaToeplitzKernel<T>::scratch_bytes(const ToeplitzSizes& sizes, Index coils) {
  return Scratch::bytes<C>({blocks_for<T>(sizes, coils), lanes_for<T>(sizes, coils), grid_cells(sizes)});
}

template <typename T>
std::size_t CudaToeplitzKernel<T>::scratch_bytes(const Context&, Index coils) const {
  return scratch_bytes(this->sizes(), coils) + Arena::rounded(tables_->long_work_bytes);
}

template <typename T>
void CudaToeplitzKernel<T>::run(const C* x, const C* maps, C* y, Index coils, bool accumulate,
                                Context& ctx) const {
  const ToeplitzSizes& s = this->sizes();
  Scratch scratch(ctx);
  const int lanes = lanes_for<T>(s, coils), blocks = blocks_for<T>(s, coils);
  const auto grid = scratch.take<C>({blocks, lanes, grid_cells(s)});
  auto passes = tables_->passes;
  passes.long_work = scratch.take<std::byte>({static_cast<Index>(tables_->long_work_bytes)}).data();
  cuda::toeplitz_apply<T>(passes, x, maps, y, {coils, lanes}, blocks, grid.data(), accumulate, ctx.stream());
}

template <typename T>
void CudaToeplitzKernel<T>::convolve(const C* x, C* y, Index coils, bool accumulate, Context& ctx) const {
  run(x, nullptr, y, coils, accumulate, ctx);
}

template <typename T>
void CudaToeplitzKernel<T>::sense(const C* x, const C* maps, C* y, Index coils, bool accumulate,
                                  Context& ctx) const {
  run(x, maps, y, coils, accumulate, ctx);
}

template class CudaToeplitzKernel<float>;
template class CudaToeplitzKernel<double>;

}  // namespace larmor::nufft
