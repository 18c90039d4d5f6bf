#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/linear_operator.hpp>
#include <larmor/operators/nufft/kernel/kernel.hpp>

#include <memory>

namespace LARMOR_API larmor {

struct Nufft3Options {
  /// Relative l2 error against exact sums that is acceptable: 1e-1 … 1e-5 in float, 1e-1 … 1e-11 in double.
  double tolerance = 1e-3;
  /// Number of vectors; 0: no such axis in domain and codomain.
  Index batch = 0;
  /// The directions that will be used; without one there is less to set up.
  bool forward = true, adjoint = true;
};

/// Non-uniform Fourier transform from points to points (type 3):
///   s_j = Σ_i c_i exp(−2πi k_j·x_i)
/// for any real positions x_i and frequencies k_j; one in the inverse unit of the other. Cost and memory grow
/// with the product of their extents, axis by axis: about (6 · (x_max − x_min) · (k_max − k_min) + 20) grid
/// cells, wherever their centres are. domain [(batch,) points], codomain [(batch,) frequencies].
template <typename T>
class Nufft3 final : public TwoWayOperator<Nufft3<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// points [n, dims], frequencies [m, dims], dims 1 … 3, on the CPU or on the context's device. Throws
  /// Error: usage for tolerances out of reach, input for coordinates that are not finite, resource for grids
  /// beyond the memory limit. Whoever does not need the coordinates any more hands over their arrays as well,
  /// which spares others.
  Nufft3(View<const double> points, View<const double> frequencies, const Nufft3Options& options,
         Context& ctx, Array<double> points_array = {}, Array<double> frequencies_array = {});

  std::string name() const override { return "Nufft3"; }
  std::size_t scratch_bytes(const Context& ctx) const override;
  std::size_t table_bytes() const override;
  /// Of the step from the points to a grid.
  double oversampling() const;
  int kernel_width() const;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace larmor
