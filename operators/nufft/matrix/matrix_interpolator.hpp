#pragma once

#include <larmor/operators/nufft/kernel/grid_choice.hpp>
#include <larmor/operators/nufft/matrix/gridding_matrix.hpp>
#include <larmor/operators/nufft/matrix/matrix_kernels.hpp>
#include <larmor/operators/nufft/spread/interpolator.hpp>

#include <array>
#include <memory>

namespace larmor::nufft {

/// Interpolation as a sparse matrix, on the context's device: more memory and set-up time than
/// make_gridding(), but calls only read the matrix. Both directions are stored by rows unless the options
/// request only one (PlanOptions::forward, adjoint). points [samples, dims] on the CPU. Throws Error: as
/// make_gridding(), and resource beyond options.matrix_byte_limit (0: none).
template <typename T>
std::unique_ptr<const Interpolator<T>> make_matrix_interpolator(View<const double> points,
                                                                const GridChoice<T>& choice,
                                                                const PlanOptions& options, Context& ctx);

/// On a CPU, one block of coils at a time.
template <typename T>
class CpuMatrixInterpolator final : public Interpolator<T> {
 public:
  using C = std::complex<T>;
  CpuMatrixInterpolator(View<const double> points, const GridChoice<T>& choice, const PlanOptions& options);

  void spread(const C* values, const T* weights, C* grid, const Coils& coils, Context& ctx) const override;
  void interpolate(const C* grid, C* values, const T* weights, const Coils& coils, Context& ctx,
                   bool accumulate) const override;
  std::size_t scratch_bytes(const Context& ctx, const Coils& coils) const override;
  std::size_t table_bytes() const override { return table_bytes_; }
  std::size_t bytes_per_sample() const override { return bytes_per_sample_; }

 private:
  Index expected_;  // samples
  std::size_t table_bytes_, bytes_per_sample_;
  GriddingMatrix<T> matrix_;
  TransposedMatrix<T> transpose_;
  std::array<MatrixProduct<T>, 3> products_{};
};

}  // namespace larmor::nufft
