#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/vectors/shared_array.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <functional>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// A convex function g on complex vectors with a known proximal map.
template <typename T>
class ProximalMap {
 public:
  using Scalar = std::complex<T>;
  virtual ~ProximalMap() = default;
  /// "BlockNuclearNorm", … as in reports.
  virtual std::string name() const = 0;
  /// g(z); infinity outside the domain of an indicator function.
  virtual double value(View<const Scalar> z, Context& ctx) const = 0;
  /// out = argmin_u weight·g(u) + ½‖u − z‖², weight >= 0; out may be z itself. `iteration` numbers the calls
  /// of a solver from 0: functions that vary (wavelet shifts) derive their choice from it.
  virtual void apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx,
                     Index iteration = 0) const = 0;
  /// True if the function varies: iterates of a solver then never settle.
  virtual bool varies() const { return false; }
  /// The value of the function that apply() uses in this iteration.
  virtual double value_in(Index iteration, View<const Scalar> z, Context& ctx) const {
    static_cast<void>(iteration);
    return value(z, ctx);
  }
  /// Bytes of arena that apply or value needs.
  virtual std::size_t scratch_bytes(const Context& ctx) const = 0;
};

/// One term λ·g(W u) of an objective. u is the image x, or, if the function itself is a minimum over further
/// unknowns v (total generalised variation, low rank + sparse), the flat vector (x, v).
template <typename T>
struct Regularizer {
  std::string name{};       ///< as on the command line
  double lambda = 0;        ///< weight relative to the scaled problem, see scaled()
  Operator<T> transform{};  ///< W: [image], or flat [image.size() + auxiliary]; none: the identity on x
  std::shared_ptr<const ProximalMap<T>> function{};  ///< g on the codomain of W
  double transform_norm_squared = 1;                 ///< an upper bound of ‖W‖²
  Index auxiliary = 0;                               ///< number of further unknowns v
  /// ½λ‖x − x₀‖² instead of λ·g(W x): Tikhonov. `prior` is x₀ on the solver's device, in the image's units;
  /// null: 0.
  bool quadratic = false;
  std::shared_ptr<const Array<std::complex<T>>> prior{};
};

/// min ½‖Ax − y‖² + Σ λ_i R_i(x), given by the normal operator H = AᴴA and b = Aᴴy, both on one device. Every
/// solver works on the scaled problem: H/‖A‖² and b/max|b|, whose solution is x·‖A‖²/max|b|, so that λ does
/// not depend on the units of the data, the density of the readout or repeated samples. A problem shares its
/// parts, so that it may be made from temporaries and kept.
template <typename T>
struct Problem {
  Operator<T> normal{};
  SharedArray<std::complex<T>> rhs{};
  std::vector<Regularizer<T>> regularizers{};
  double norm_squared = 0;  ///< ‖A‖² if it is known from an earlier solve; 0: by power iteration
  double scale = 0;         ///< max|b| that a series of frames shares; 0: of this rhs
  double data_energy = 0;   ///< ‖y‖², needed for the value of the objective but not for its minimum
  /// A and y themselves, on the same device, for lsmr and preconditioners of the samples.
  Operator<T> model{};
  SharedArray<std::complex<T>> samples{};
};

/// Terms that a solver supports besides quadratic ones: none, one whose transform is the identity or unitary,
/// or any.
enum class SolvableTerms { quadratic, one_unitary, any };

/// The minimum that a solver of this problem must support.
template <typename T>
SolvableTerms terms_of(const Problem<T>& problem, Context& ctx);

/// True if W is unitary: the proximal map of g(W x) is then Wᴴ∘prox∘W.
template <typename T>
bool is_unitary(const Regularizer<T>& term, Context& ctx);

namespace detail {
/// min ½‖Ax − y‖² + Σ λ_i R_i(x) on the context's device. If y is on that device, it is borrowed, and has to
/// outlive the problem.
template <typename T>
Problem<T> problem_of(const LinearOperator<T>& A, View<const std::complex<T>> y,
                      std::vector<Regularizer<T>> terms, const NormalOptions& normal, Context& ctx);
}  // namespace detail

}  // namespace larmor
