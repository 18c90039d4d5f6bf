#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/operators/nufft/plan/cpu_plan.hpp>
#include <larmor/operators/nufft/plan/cuda/plan.hpp>
#include <larmor/operators/nufft/plan/plan.hpp>

#include <limits>

namespace LARMOR_API larmor {
namespace nufft {

template <typename T>
std::shared_ptr<const Plan<T>> make_plan(View<const double> trajectory, const Shape& image,
                                         const PlanOptions& options, Context& ctx) {
  const int dims = image.rank();
  if (dims < 1 || dims > 3)
    throw internal_error("Nufft: image of shape {}, expected 1 to 3 axes", image.to_string());
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != dims)
    throw internal_error("Nufft: trajectory of shape {} for an image of shape {}, expected [samples, {}]",
                         trajectory.shape().to_string(), image.to_string(), dims);
  const Index samples = trajectory.shape()[0];
  if (samples > std::numeric_limits<std::int32_t>::max())
    throw usage_error("Nufft: {} samples are more than the {} that one plan can hold; split the trajectory",
                      samples, std::numeric_limits<std::int32_t>::max());
  if (image.size() < 1) throw internal_error("Nufft: image of shape {} is empty", image.to_string());
  if (!(trajectory.device() == ctx.device()))
    return make_plan<T>(copied_to(ctx.device(), trajectory), image, options, ctx);
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) return std::make_shared<const CudaPlan<T>>(trajectory, image, options, ctx);
  return std::make_shared<const CpuPlan<T>>(trajectory, image, options, ctx);
}

template <typename T>
PlannedBytes planned_bytes(const Shape& image, const PlanOptions& options, Context& ctx) {
  const auto dims = static_cast<std::size_t>(image.rank());
  const Array<double> none({0, image.rank()}, ctx.device());
  const auto empty = make_plan<T>(none, image, options, ctx);
  // A GPU keeps the points in one order for either direction.
  const bool two = ctx.on_gpu() && !options.small_grid && options.forward && options.adjoint;
  const std::size_t point = sizeof(std::int32_t) + sizeof(std::uint32_t) + dims * sizeof(T);
  return {empty->table_bytes() + static_cast<std::size_t>(options.samples) * point * (two ? 2 : 1),
          empty->scratch_bytes(ctx, options.batch)};
}

template PlannedBytes planned_bytes<float>(const Shape&, const PlanOptions&, Context&);
template PlannedBytes planned_bytes<double>(const Shape&, const PlanOptions&, Context&);
template std::shared_ptr<const Plan<float>> make_plan<float>(View<const double>, const Shape&,
                                                             const PlanOptions&, Context&);
template std::shared_ptr<const Plan<double>> make_plan<double>(View<const double>, const Shape&,
                                                               const PlanOptions&, Context&);

}  // namespace nufft
}  // namespace larmor
