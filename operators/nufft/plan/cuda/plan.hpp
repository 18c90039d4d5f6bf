#pragma once

#include <larmor/operators/nufft/plan/plan.hpp>

namespace larmor::nufft {

/// The plan on a CUDA device. Points are sorted by small bins of the grid once; an execute transforms as many
/// blocks of coils at a time as fit into its grid, on a grid with the coils of a block fastest.
template <typename T>
class CudaPlan final : public Plan<T> {
 public:
  using C = std::complex<T>;
  /// trajectory on the context's device
  CudaPlan(View<const double> trajectory, const Shape& image, const PlanOptions& options, Context& ctx);
  ~CudaPlan() override;

  void forward(const C* images, C* samples, Index batch, const T* weights, double scale, Context& ctx,
               bool accumulate) const override;
  void adjoint(const C* samples, C* images, Index batch, const T* weights, double scale, Context& ctx,
               bool accumulate) const override;
  std::size_t scratch_bytes(const Context& ctx, Index batch) const override;
  std::size_t table_bytes() const override;
  Index samples() const override;
  double oversampling() const override;
  const Kernel& kernel() const override;

 private:
  struct Tables;
  std::unique_ptr<const Tables> tables_;
};

}  // namespace larmor::nufft
