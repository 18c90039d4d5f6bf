#include <larmor/core/cuda/runtime.hpp>
#include <larmor/operators/nufft/grid/cpu_grid_transform.hpp>
#include <larmor/operators/nufft/grid/cuda/grid_transform.hpp>

namespace larmor::nufft {

template <typename T>
std::unique_ptr<const GridTransform<T>> make_grid_transform(const Shape& image, const GridChoice<T>& choice,
                                                            const GridTransformOptions& options,
                                                            Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) return std::make_unique<const CudaGridTransform<T>>(image, choice, options, ctx);
  return std::make_unique<const CpuGridTransform<T>>(image, choice, options, ctx);
}

template std::unique_ptr<const GridTransform<float>> make_grid_transform(const Shape&,
                                                                         const GridChoice<float>&,
                                                                         const GridTransformOptions&,
                                                                         Context&);
template std::unique_ptr<const GridTransform<double>> make_grid_transform(const Shape&,
                                                                          const GridChoice<double>&,
                                                                          const GridTransformOptions&,
                                                                          Context&);

}  // namespace larmor::nufft
