#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>
#include <larmor/operators/nufft/kernel/grid_choice.hpp>

#include <complex>
#include <memory>

namespace LARMOR_API larmor {
namespace nufft {

/// Grid, kernel and points of a NUFFT on one device. Arrays are in that device's memory.
template <typename T>
class Plan {
 public:
  using C = std::complex<T>;
  virtual ~Plan() = default;

  /// samples_j = weight_j Σ_x image(x) exp(−2πi k_j·x), for `batch` images [batch, pixels] -> [batch,
  /// samples]. weights: one per sample in the caller's order, or null for 1. scale multiplies everything.
  virtual void forward(const C* images, C* samples, Index batch, const T* weights, double scale, Context& ctx,
                       bool accumulate) const = 0;
  /// image(x) = Σ_j weight_j samples_j exp(+2πi k_j·x)
  virtual void adjoint(const C* samples, C* images, Index batch, const T* weights, double scale, Context& ctx,
                       bool accumulate) const = 0;

  virtual std::size_t scratch_bytes(const Context& ctx, Index batch) const = 0;
  virtual std::size_t table_bytes() const = 0;
  virtual Index samples() const = 0;
  virtual double oversampling() const = 0;
  virtual const Kernel& kernel() const = 0;
};

/// A plan for the context's device. trajectory [samples, dims] in cycles/pixel, on the CPU or on that device;
/// image {(z,) (y,) x}.
template <typename T>
std::shared_ptr<const Plan<T>> make_plan(View<const double> trajectory, const Shape& image,
                                         const PlanOptions& options, Context& ctx);

/// Bytes of a plan that does not exist yet, of options.samples points and options.batch images.
struct PlannedBytes {
  std::size_t tables, scratch;
};
template <typename T>
PlannedBytes planned_bytes(const Shape& image, const PlanOptions& options, Context& ctx);

}  // namespace nufft
}  // namespace larmor
