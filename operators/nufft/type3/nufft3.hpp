#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/linear_operator.hpp>
#include <larmor/operators/nufft/kernel/kernel.hpp>

#include <memory>

namespace LARMOR_API larmor {

struct Nufft3Options {
  /// Acceptable relative l2 error against exact sums: 1e-1 … 1e-5 in float, 1e-1 … 1e-11 in double.
  double tolerance = 1e-3;
  /// Number of vectors; 0: domain and codomain have no such axis.
  Index batch = 0;
  /// The directions that will be used; leaving one out shortens the set-up.
  bool forward = true, adjoint = true;
};

/// Non-uniform Fourier transform from points to points (type 3): s_j = Σ_i c_i exp(−2πi k_j·x_i) for any real
/// positions x_i and frequencies k_j, in reciprocal units. Cost and memory grow with the product of their
/// extents, axis by axis: about (6 · (x_max − x_min) · (k_max − k_min) + 20) grid cells, wherever their
/// centres are. domain [(batch,) points], codomain [(batch,) frequencies].
template <typename T>
class Nufft3 final : public TwoWayOperator<Nufft3<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// points [n, dims], frequencies [m, dims], dims 1 … 3, on the CPU or on the context's device. Throws
  /// Error: usage for unreachable tolerances, input for coordinates that are not finite, resource for grids
  /// beyond the memory limit. The overloads that take arrays reuse their memory, if the caller no longer
  /// needs the coordinates.
  Nufft3(View<const double> points, View<const double> frequencies, const Nufft3Options& options,
         Context& ctx, Array<double> points_array = {}, Array<double> frequencies_array = {});

  std::string name() const override { return "Nufft3"; }
  std::size_t scratch_bytes(const Context& ctx) const override;
  std::size_t table_bytes() const override;
  /// For the step from points to a grid.
  double oversampling() const;
  int kernel_width() const;

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace larmor
