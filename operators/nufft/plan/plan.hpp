#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>
#include <larmor/operators/linear_operator.hpp>
#include <larmor/operators/nufft/kernel/grid_choice.hpp>
#include <larmor/operators/nufft/spread/points.hpp>

#include <complex>
#include <memory>

namespace LARMOR_API larmor {
namespace nufft {

/// A NUFFT on one device: a grid transform and an interpolator, applied to the coils of a batch in parts.
/// Arrays are in that device's memory.
template <typename T>
class Plan {
 public:
  using C = std::complex<T>;
  /// trajectory in cycles/pixel, on the CPU or on the context's device; image {(z,) (y,) x}.
  /// Throws Error: input for points that are not finite, usage for sizes and tolerances out of reach,
  /// resource for a matrix beyond options.matrix_byte_limit.
  Plan(const Points<T>& trajectory, const Shape& image, const PlanOptions& options, Context& ctx);
  ~Plan();

  /// samples_j = weight_j Σ_x image(x) exp(−2πi k_j·x), for `batch` images [batch, pixels] -> [batch,
  /// samples]. weights: one per sample in the caller's order, or null for 1. scale multiplies everything.
  void forward(const C* images, C* samples, Index batch, const T* weights, double scale, Context& ctx,
               bool accumulate) const;
  /// image(x) = Σ_j weight_j samples_j exp(+2πi k_j·x)
  void adjoint(const C* samples, C* images, Index batch, const T* weights, double scale, Context& ctx,
               bool accumulate) const;

  /// Applies forward() or adjoint().
  void run(Direction way, const C* in, C* out, Index batch, const T* weights, double scale, Context& ctx,
           bool accumulate) const {
    way == Direction::forward ? forward(in, out, batch, weights, scale, ctx, accumulate)
                              : adjoint(in, out, batch, weights, scale, ctx, accumulate);
  }

  std::size_t scratch_bytes(const Context& ctx, Index batch) const;
  std::size_t table_bytes() const;
  /// Bytes by which each further sample enlarges the tables.
  std::size_t bytes_per_sample() const;
  Index samples() const;
  double oversampling() const { return choice_.oversampling; }
  const Kernel& kernel() const { return choice_.kernel->kernel; }

 private:
  struct Parts;
  GridChoice<T> choice_;
  Index pixels_;
  std::unique_ptr<const Parts> parts_;
};

template <typename T>
std::shared_ptr<const Plan<T>> make_plan(View<const double> trajectory, const Shape& image,
                                         const PlanOptions& options, Context& ctx) {
  return std::make_shared<const Plan<T>>(trajectory, image, options, ctx);
}

/// Memory of a plan that has not been made yet, with options.samples points and options.batch images.
struct PlannedBytes {
  std::size_t tables, scratch;
};
template <typename T>
PlannedBytes planned_bytes(const Shape& image, const PlanOptions& options, Context& ctx);

}  // namespace nufft
}  // namespace larmor
