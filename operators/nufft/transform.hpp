#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>
#include <larmor/operators/linear_operator.hpp>
#include <larmor/operators/nufft/kernel/kernel.hpp>

#include <array>
#include <complex>
#include <memory>

namespace LARMOR_API larmor {

/// Type of a transform; the numbers are those of the literature.
enum class TransformType {
  points_to_modes = 1,   ///< f_n = Σ_j c_j exp(±2πi n·x_j)
  modes_to_points = 2,   ///< c_j = Σ_n f_n exp(±2πi n·x_j)
  points_to_points = 3,  ///< s_l = Σ_j c_j exp(±2πi k_l·x_j)
};

/// Order of the modes of an axis.
enum class ModeOrder {
  centred,  ///< −⌊N/2⌋ … ⌈N/2⌉ − 1 along every axis, as images are stored
  fft,      ///< 0 … ⌈N/2⌉ − 1, −⌊N/2⌋ … −1
};

/// Options of a transform.
struct TransformOptions {
  double tolerance = 1e-6;  ///< relative l2 error against exact sums
  int sign = -1;            ///< of the exponent
  ModeOrder order = ModeOrder::centred;
  Index batch = 1;
  double oversampling = 0;  ///< 1.15 … 2.5; 0: chosen by a cost model; types 1 and 2
  /// Type 1: values at the points are real, imaginary parts 0; see NufftOptions::real_samples.
  bool real_points = false;
  bool adjoint = false;  ///< execute_adjoint() will be called: keep its tables
};

/// Coordinates on the CPU as a column for each axis, x first, to be multiplied by `scale`.
template <typename T>
struct PointColumns {
  std::array<const T*, 3> axes{};  ///< the first `dims` are used
  Index count = 0;
  int dims = 1;
  double scale = 1;
};

namespace nufft {
template <typename T>
class Points;
}

/// Unscaled non-uniform transforms that are not operators: plan, set points, execute any number of times.
/// Points are in cycles per mode (periodic with 1) for types 1 and 2, in any unit for type 3. Modes {(z,)
/// (y,) x}, points [n, dims] with columns x, y, z. A copy keeps its points if others are set in the original.
template <typename T>
class Transform {
 public:
  using C = std::complex<T>;  ///< of values
  /// Of type 1 or 2. Throws Error (usage) for options out of range.
  Transform(TransformType type, const Shape& modes, const TransformOptions& options);
  /// Of type 3.
  explicit Transform(const TransformOptions& options);

  /// Types 1 and 2. Throws Error: input for points that are not finite, usage for a tolerance out of reach.
  void set_points(View<const double> points, Context& ctx);
  /// Type 3.
  void set_points(View<const double> points, View<const double> frequencies, Context& ctx);
  /// The same from columns. On a CPU those of types 1 and 2 are read in place.
  void set_points(const PointColumns<T>& points, Context& ctx);
  void set_points(const PointColumns<T>& points, const PointColumns<T>& frequencies, Context& ctx);

  /// in and out: [batch, points] and [batch, modes…] or [batch, frequencies], depending on the type.
  void execute(View<const C> in, View<C> out, Context& ctx) const { run(Direction::forward, in, out, ctx); }
  /// The adjoint of execute() with the same points, for TransformOptions::adjoint: in has the shape of
  /// execute's out, and out that of its in.
  void execute_adjoint(View<const C> in, View<C> out, Context& ctx) const {
    run(Direction::adjoint, in, out, ctx);
  }

  /// The choice made when the points were set; for type 3 that of the step from points to a grid.
  double oversampling() const;
  int kernel_width() const;

 private:
  bool opposite_points() const;
  void plan_for(const nufft::Points<T>& points, Context& ctx);
  void plan_for(View<const double> points, Array<double> points_array, View<const double> frequencies,
                Array<double> frequencies_array, Context& ctx);
  void run(Direction way, View<const C> in, View<C> out, Context& ctx) const;

  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace larmor
