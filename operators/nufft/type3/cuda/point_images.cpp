#include <larmor/operators/nufft/spread/cuda/cost_model.hpp>
#include <larmor/operators/nufft/type3/cuda/point_images.hpp>
#include <larmor/operators/nufft/type3/cuda/type3_kernels.hpp>

#include <utility>

namespace larmor::nufft {

template <typename T>
CudaPointImages<T>::CudaPointImages(View<const double> points, const std::array<Index, 3>& cells,
                                    std::shared_ptr<const FittedKernel<T>> kernel,
                                    const PointImagesOptions& options, Context& ctx)
    : gridding_(points, cells, std::move(kernel),
                {cuda::lanes_for<T>(options.batch), options.spread, options.interpolate}, ctx),
      cells_(cells[0] * cells[1] * cells[2]) {}

template <typename T>
CudaPointImages<T>::~CudaPointImages() = default;

template <typename T>
void CudaPointImages<T>::spread(const C* values, C* images, Index count, Context& ctx) const {
  if (gridding_.lanes() == 1) return gridding_.spread(values, nullptr, images, coils(count), ctx);
  Scratch scratch(ctx);
  const auto grid = scratch.take<C>({grid_values(count)});
  gridding_.spread(values, nullptr, grid.data(), coils(count), ctx);
  cuda::grid_to_images<T>(grid.data(), images, cells_, coils(count), ctx.stream());
}

template <typename T>
void CudaPointImages<T>::interpolate(const C* images, C* values, Index count, Context& ctx,
                                     bool accumulate) const {
  if (gridding_.lanes() == 1)
    return gridding_.interpolate(images, values, nullptr, coils(count), ctx, accumulate);
  Scratch scratch(ctx);
  const auto grid = scratch.take<C>({grid_values(count)});
  cuda::images_to_grid<T>(images, grid.data(), cells_, coils(count), ctx.stream());
  gridding_.interpolate(grid.data(), values, nullptr, coils(count), ctx, accumulate);
}

template <typename T>
std::size_t CudaPointImages<T>::scratch_bytes(const Context&, Index count) const {
  return Scratch::bytes<C>({grid_values(count)}) + gridding_.scratch_bytes(coils(count));
}

template <typename T>
std::size_t CudaPointImages<T>::table_bytes() const {
  return gridding_.table_bytes();
}

template class CudaPointImages<float>;
template class CudaPointImages<double>;

}  // namespace larmor::nufft
