#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/spread/gridding.hpp>
#include <larmor/operators/nufft/type3/cuda/type3_kernels.hpp>
#include <larmor/operators/nufft/type3/point_images.hpp>

namespace larmor::nufft {
namespace {

constexpr Index grain = 1 << 13;

// Between a grid with the lanes fastest and images one after another.
template <typename T>
void grid_to_images(const std::complex<T>* grid, std::complex<T>* images, Index cells, const Coils& coils,
                    Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) return cuda::grid_to_images<T>(grid, images, cells, coils, ctx.stream());
  parallel_for(ctx, cells, grain, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i)
      for (Index lane = 0; lane < coils.count; ++lane)
        images[lane * cells + i] = grid[i * coils.lanes + lane];
  });
}
template <typename T>
void images_to_grid(const std::complex<T>* images, std::complex<T>* grid, Index cells, const Coils& coils,
                    Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) return cuda::images_to_grid<T>(images, grid, cells, coils, ctx.stream());
  parallel_for(ctx, cells, grain, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i)
      for (Index lane = 0; lane < coils.lanes; ++lane)
        grid[i * coils.lanes + lane] = lane < coils.count ? images[lane * cells + i] : std::complex<T>(0);
  });
}

}  // namespace

template <typename T>
PointImages<T>::PointImages(View<const double> points, const std::array<Index, 3>& cells,
                            std::shared_ptr<const FittedKernel<T>> kernel, const PointImagesOptions& options,
                            Context& ctx)
    : cells_(cells[0] * cells[1] * cells[2]),
      lanes_(ctx.on_gpu() ? next_lanes<T>(options.batch) : 0),
      gridding_(make_gridding<T>(points, cells, std::move(kernel),
                                 {.batch = options.batch,
                                  .lanes = lanes_,
                                  .spread = options.spread,
                                  .interpolate = options.interpolate},
                                 ctx)) {}

template <typename T>
void PointImages<T>::spread(const C* values, C* images, Index count, Context& ctx) const {
  const Coils some = coils(count);
  if (some.lanes == 1) return gridding_->spread(values, nullptr, images, some, ctx);
  Scratch scratch(ctx);
  const auto grid = scratch.take<C>({cells_ * some.lanes});
  gridding_->spread(values, nullptr, grid.data(), some, ctx);
  grid_to_images(grid.data(), images, cells_, some, ctx);
}

template <typename T>
void PointImages<T>::interpolate(const C* images, C* values, Index count, Context& ctx,
                                 bool accumulate) const {
  const Coils some = coils(count);
  if (some.lanes == 1) return gridding_->interpolate(images, values, nullptr, some, ctx, accumulate);
  Scratch scratch(ctx);
  const auto grid = scratch.take<C>({cells_ * some.lanes});
  images_to_grid(images, grid.data(), cells_, some, ctx);
  gridding_->interpolate(grid.data(), values, nullptr, some, ctx, accumulate);
}

template <typename T>
std::size_t PointImages<T>::scratch_bytes(const Context& ctx, Index count) const {
  const Coils some = coils(count);
  return (some.lanes > 1 ? Scratch::bytes<C>({cells_ * some.lanes}) : 0) +
         gridding_->scratch_bytes(ctx, some);
}

template class PointImages<float>;
template class PointImages<double>;

}  // namespace larmor::nufft
