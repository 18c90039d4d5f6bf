#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/nufft/spread/gridding.hpp>
#include <larmor/operators/nufft/type3/point_images.hpp>
#include <larmor/operators/nufft/type3/type3_kernels.hpp>

namespace larmor::nufft {
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
                                 ctx)) {
  gridding_->require_finite(ctx);
}

template <typename T>
void PointImages<T>::spread(const C* values, C* images, Index count, Context& ctx) const {
  const Coils some = coils(count);
  if (some.lanes == 1) return gridding_->spread(values, nullptr, images, some, ctx);
  Scratch scratch(ctx);
  const auto grid = scratch.take<C>({cells_ * some.lanes});
  gridding_->spread(values, nullptr, grid.data(), some, ctx);
  for_each(
      ctx, cells_,
      GridToImages<T>{complex_values(grid.data()), complex_values(images), cells_, some.count, some.lanes});
}

template <typename T>
void PointImages<T>::interpolate(const C* images, C* values, Index count, Context& ctx,
                                 bool accumulate) const {
  const Coils some = coils(count);
  if (some.lanes == 1) return gridding_->interpolate(images, values, nullptr, some, ctx, accumulate);
  Scratch scratch(ctx);
  const auto grid = scratch.take<C>({cells_ * some.lanes});
  for_each(
      ctx, cells_,
      ImagesToGrid<T>{complex_values(images), complex_values(grid.data()), cells_, some.count, some.lanes});
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
