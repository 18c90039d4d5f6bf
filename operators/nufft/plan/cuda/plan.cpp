#include <larmor/core/cuda/for_each.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/operators/nufft/grid/cuda/grid_passes.hpp>
#include <larmor/operators/nufft/plan/cuda/plan.hpp>
#include <larmor/operators/nufft/spread/cuda/cost_model.hpp>
#include <larmor/operators/nufft/spread/cuda/gridding.hpp>

#include <algorithm>
#include <limits>

namespace larmor::nufft {

template <typename T>
struct CudaPlan<T>::Tables {
  Index pixels = 1, cells = 1, blocks = 1;
  int lanes = 1;
  GridChoice<T> choice;
  Array<T> deapodisation[3];
  Array<std::byte> line_tables[3];
  std::size_t long_work_bytes = 0;
  CudaGridding<T> gridding;
  cuda::GridPasses<T> passes;

  Tables() = default;
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;
  ~Tables() {
    for (const int plan : passes.long_plan)
      if (plan != 0) cuda::destroy_long_line_plan(plan);
  }

  /// Coils of the largest part of a batch that is worked on at once.
  cuda::Coils part(Index batch) const { return {std::min<Index>(batch, blocks * lanes), lanes}; }
  Index grid_values(const cuda::Coils& coils) const { return cells * lanes * coils.blocks(); }

  void set_up_axes(const Shape& image, Context& ctx);
};

// Deapodisation and tables of the line transforms.
template <typename T>
void CudaPlan<T>::Tables::set_up_axes(const Shape& image, Context& ctx) {
  const int dims = image.rank();
  const Device device = ctx.device();
  passes.dims = dims;
  for (int a = 0; a < 3; ++a) {
    const Index length = choice.grid[a];
    passes.grid[a] = static_cast<int>(length);
    passes.image[a] = a < dims ? static_cast<int>(image[dims - 1 - a]) : 1;
    if (a >= dims) continue;
    const Index axis_pixels = image[dims - 1 - a];
    deapodisation[a] = Array<T>({axis_pixels}, device);
    larmor::cuda::for_each(
        InverseTransform<T>{choice.transform(axis_pixels, a), 1 / static_cast<double>(length),
                            axis_pixels / 2, deapodisation[a].data()},
        axis_pixels, ctx.stream());
    passes.deapodise[a] = deapodisation[a].data();
    // One block of threads would take long for a line of its own.
    constexpr Index longest_alone = 2048;
    if (length > (dims == 1 && blocks * lanes == 1 ? longest_alone : Index{larmor::cuda::longest_line})) {
      std::size_t work = 0;
      const Index inner = lanes * (a > 0 ? choice.grid[0] : 1) * (a > 1 ? choice.grid[1] : 1);
      passes.long_plan[a] = cuda::make_long_line_plan(length, inner, inner, sizeof(T) == 8, &work);
      long_work_bytes = std::max(long_work_bytes, work);
      continue;
    }
    int same = 0;
    while (choice.grid[same] != length) ++same;
    if (same == a) {
      const std::size_t bytes = larmor::cuda::line_table_bytes<T>(passes.grid[a]);
      Array<std::byte> tables({static_cast<Index>(bytes)});
      larmor::cuda::fill_line_tables<T>(passes.grid[a], tables.data());
      line_tables[a] = moved_to(device, std::move(tables));
    }
    passes.line[a] = larmor::cuda::line_fft<T>(passes.grid[a], line_tables[same].data());
  }
}

template <typename T>
CudaPlan<T>::CudaPlan(View<const double> trajectory, const Shape& image, const PlanOptions& options,
                      Context& ctx) {
  auto tables = std::make_unique<Tables>();
  Tables& t = *tables;
  for (int a = 0; a < image.rank(); ++a)
    if (image[a] > std::numeric_limits<std::int32_t>::max() / 3)
      throw usage_error("Nufft: an axis of {} pixels is longer than the GPU's kernels count; use the CPU",
                        image[a])
          .about("device");
  t.pixels = image.size();
  t.lanes = options.small_grid ? 1 : cuda::lanes_for<T>(options.batch);
  const Index expected = options.samples > 0 ? options.samples : trajectory.shape()[0];
  t.choice =
      choose_grid<T>(image, options,
                     {[](Index n) { return Index{larmor::cuda::fast_line_length(static_cast<int>(n))}; },
                      [&](const std::array<Index, 3>& grid, int width) {
                        return cuda::transform_cost<T>(expected, grid, image, width,
                                                       {t.lanes, options.adjoint, options.forward});
                      }});
  for (const Index length : t.choice.grid) t.cells *= length;
  t.gridding = CudaGridding<T>(trajectory, t.choice.grid, t.choice.kernel,
                               {.lanes = t.lanes,
                                .spread = options.adjoint,
                                .interpolate = options.forward,
                                .sorted_once = options.small_grid,
                                .expected_samples = options.samples},
                               ctx);
  // As many blocks of coils at a time as fit into a quarter of the memory.
  const std::size_t block_bytes = static_cast<std::size_t>(t.cells * t.lanes) * sizeof(C);
  const Index needed = (std::max<Index>(1, options.batch) + t.lanes - 1) / t.lanes;
  t.blocks = std::clamp<Index>(static_cast<Index>(ctx.memory_limit() / 4 / block_bytes), 1, needed);
  t.set_up_axes(image, ctx);
  tables_ = std::move(tables);
}

template <typename T>
CudaPlan<T>::~CudaPlan() = default;

template <typename T>
std::size_t CudaPlan<T>::scratch_bytes(const Context&, Index batch) const {
  const Tables& t = *tables_;
  const cuda::Coils coils = t.part(batch);
  return Scratch::bytes<C>({t.grid_values(coils)}) + Arena::rounded(t.long_work_bytes) +
         t.gridding.scratch_bytes(coils);
}

template <typename T>
void CudaPlan<T>::forward(const C* images, C* samples, Index batch, const T* weights, double scale,
                          Context& ctx, bool accumulate) const {
  const Tables& t = *tables_;
  Scratch scratch(ctx);
  const auto grid = scratch.take<C>({t.grid_values(t.part(batch))});
  auto passes = t.passes;
  passes.long_work = scratch.take<std::byte>({static_cast<Index>(t.long_work_bytes)}).data();
  for (Index first = 0; first < batch; first += t.blocks * t.lanes) {
    const cuda::Coils coils = t.part(batch - first);
    cuda::image_to_grid<T>(passes, images + first * t.pixels, nullptr, grid.data(), coils, scale,
                           ctx.stream());
    t.gridding.interpolate(grid.data(), samples + first * t.gridding.samples(), weights, coils, ctx,
                           accumulate);
  }
}

template <typename T>
void CudaPlan<T>::adjoint(const C* samples, C* images, Index batch, const T* weights, double scale,
                          Context& ctx, bool accumulate) const {
  const Tables& t = *tables_;
  Scratch scratch(ctx);
  const auto grid = scratch.take<C>({t.grid_values(t.part(batch))});
  auto passes = t.passes;
  passes.long_work = scratch.take<std::byte>({static_cast<Index>(t.long_work_bytes)}).data();
  for (Index first = 0; first < batch; first += t.blocks * t.lanes) {
    const cuda::Coils coils = t.part(batch - first);
    t.gridding.spread(samples + first * t.gridding.samples(), weights, grid.data(), coils, ctx);
    cuda::grid_to_image<T>(passes, grid.data(), nullptr, images + first * t.pixels, coils, scale, accumulate,
                           ctx.stream());
  }
}

template <typename T>
std::size_t CudaPlan<T>::table_bytes() const {
  const Tables& t = *tables_;
  std::size_t bytes = t.gridding.table_bytes();
  for (const auto& factors : t.deapodisation) bytes += factors.view().bytes();
  return bytes;
}
template <typename T>
Index CudaPlan<T>::samples() const {
  return tables_->gridding.samples();
}
template <typename T>
double CudaPlan<T>::oversampling() const {
  return tables_->choice.oversampling;
}
template <typename T>
const Kernel& CudaPlan<T>::kernel() const {
  return tables_->choice.kernel->kernel;
}

template class CudaPlan<float>;
template class CudaPlan<double>;

}  // namespace larmor::nufft
