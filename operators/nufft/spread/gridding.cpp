#include <larmor/core/cuda/runtime.hpp>
#include <larmor/operators/nufft/spread/cpu_gridding.hpp>
#include <larmor/operators/nufft/spread/cuda/gridding.hpp>
#include <larmor/operators/nufft/spread/gridding.hpp>

#include <algorithm>

namespace larmor::nufft {

template <typename T>
std::unique_ptr<const Interpolator<T>> make_gridding(const Points<T>& points,
                                                     const std::array<Index, 3>& grid,
                                                     std::shared_ptr<const FittedKernel<T>> kernel,
                                                     const GriddingOptions& options, Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) {
      const View<const double> rows(points.coordinates().rows, points.shape(), points.device());
      return std::make_unique<const CudaGridding<T>>(
          rows, grid, std::move(kernel),
          CudaGriddingOptions{.lanes = options.lanes,
                              .coils = std::max<Index>(1, options.batch),
                              .spread = options.spread,
                              .interpolate = options.interpolate,
                              .sorted_once = options.sorted_once,
                              .expected_samples = options.expected_samples},
          ctx);
    }
  return std::make_unique<const CpuGridding<T>>(points, grid, std::move(kernel), options.batch,
                                                options.expected_samples, ctx);
}

#define LARMOR_INSTANTIATE(T)                                                                \
  template std::unique_ptr<const Interpolator<T>> make_gridding(                             \
      const Points<T>&, const std::array<Index, 3>&, std::shared_ptr<const FittedKernel<T>>, \
      const GriddingOptions&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
