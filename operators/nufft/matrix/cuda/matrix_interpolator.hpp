#pragma once

#include <larmor/operators/nufft/kernel/grid_choice.hpp>
#include <larmor/operators/nufft/spread/interpolator.hpp>

namespace larmor::nufft {

/// Interpolation as a sparse matrix on a CUDA device, one block of coils at a time; see
/// make_matrix_interpolator().
template <typename T>
class CudaMatrixInterpolator final : public Interpolator<T> {
 public:
  using C = std::complex<T>;
  CudaMatrixInterpolator(View<const double> points, const GridChoice<T>& choice, const PlanOptions& options,
                         Context& ctx);

  void spread(const C* values, const T* weights, C* grid, const Coils& coils, Context& ctx) const override;
  void interpolate(const C* grid, C* values, const T* weights, const Coils& coils, Context& ctx,
                   bool accumulate) const override;
  std::size_t scratch_bytes(const Context& ctx, const Coils& coils) const override;
  std::size_t table_bytes() const override { return table_bytes_; }
  std::size_t bytes_per_sample() const override { return bytes_per_sample_; }

 private:
  Index expected_, cells_, length_;  // samples, cells, entries of a row
  std::size_t table_bytes_, bytes_per_sample_;
  Array<std::int32_t> order_, columns_, transposed_columns_;
  Array<std::int64_t> transposed_start_;
  Array<T> weights_, transposed_weights_;
};

}  // namespace larmor::nufft
