#pragma once

#include <larmor/solvers/problem/loop.hpp>
#include <larmor/solvers/problem/problem.hpp>

#include <algorithm>
#include <optional>

namespace larmor::detail {

/// The problem in the variable x‖A‖²/max|b|, checked: min ½ xᴴ(AᴴA/‖A‖²)x − Re xᴴb/max|b| + ½q‖x‖² + Σ λ_i
/// g_i(W_i (x, v)), where q is the sum of the Tikhonov weights and b includes their priors. Vectors are not
/// copied unnecessarily: scale factors are stored separately.
template <typename T>
class ScaledProblem {
 public:
  using C = std::complex<T>;
  /// `takes`: the terms that the solver supports. Throws Error: usage (other terms, shapes that do not fit, λ
  /// < 0), input (NaN in the data). ‖A‖² is computed if a weight multiplies it, or always for solvers that
  /// support more than quadratic terms.
  ScaledProblem(const Problem<T>& problem, SolverRun<T>& run, SolvableTerms takes, Context& ctx);

  const LinearOperator<T>& normal() const { return normal_; }
  const Shape& image() const { return normal_.domain(); }
  Index image_size() const { return image().size(); }
  /// Further unknowns v after the image; at most one term has any.
  Index auxiliary() const { return auxiliary_; }
  /// Shape of all unknowns: the image's, or flat if there are further ones.
  Shape unknowns() const { return auxiliary_ > 0 ? Shape{image_size() + auxiliary_} : image(); }
  /// The image's part of a vector of unknowns.
  template <typename Element>
  View<Element> image_of(View<Element> u) const {
    return View<Element>(u.data(), image(), u.device());
  }
  /// The part of a vector of unknowns that a term's transform takes.
  template <typename Element>
  View<Element> argument_of(const Regularizer<T>& term, View<Element> u) const {
    return term.auxiliary > 0 ? u : image_of(u);
  }
  Shape copy_shape(const Regularizer<T>& term) const {
    return term.transform ? term.transform.codomain() : image();
  }

  /// Factor of AᴴA: 1/‖A‖².
  double curvature() const { return 1 / norm_squared_; }
  /// The right-hand side is rhs_factor() · rhs().
  View<const C> rhs() const { return rhs_; }
  double rhs_factor() const { return 1 / scale_; }
  double rhs_norm() const { return rhs_norm_; }
  bool zero_data() const { return rhs_norm_ == 0; }
  /// The part of the objective that does not depend on x: ½‖y‖² and the priors' norms.
  double constant() const { return constant_; }
  double quadratic() const { return quadratic_; }
  /// Terms that are not quadratic.
  const std::vector<const Regularizer<T>*>& terms() const { return terms_; }
  /// True if one of them is a different function in every iteration.
  bool varies() const {
    return std::any_of(terms_.begin(), terms_.end(),
                       [](const auto* term) { return term->function->varies(); });
  }

  double norm_squared() const { return norm_squared_; }
  double scale() const { return scale_; }
  /// Ratio of x in the image's units to x here.
  double to_image() const { return scale_ / norm_squared_; }
  double from_image() const { return norm_squared_ / scale_; }
  /// The objective in the data's units, from xᴴAᴴA x, Re xᴴrhs() and ‖x‖² in the scaled units, and Σ λ_i g_i.
  double objective(double xHx, double xb, double xx, double others) const;
  /// The same from x and AᴴA x; NaN unless it is `wanted`.
  double objective(View<const C> x, View<const C> Hx, double others, bool wanted, Context& ctx) const;
  /// g += the gradient of the quadratic part at x, from AᴴA x.
  void add_gradient(View<const C> x, View<const C> Hx, View<C> g, Context& ctx) const;
  /// w = W u of a term
  void transform(const Regularizer<T>& term, View<const C> u, View<C> w, Context& ctx) const;
  /// sum += factor Wᴴ w of a term; scratch, of copy_shape, may be w itself, which is then overwritten.
  void add_adjoint(const Regularizer<T>& term, double factor, View<const C> w, View<C> scratch, View<C> sum,
                   Context& ctx) const;
  /// Throws Error (usage) unless the shape of SolverOptions::preconditioner fits the unknowns.
  void check_preconditioner(const SolverOptions<T>& options, const std::string& solver) const;

  /// Bytes of arena for one apply of anything in the problem.
  std::size_t scratch_bytes(const Context& ctx) const;
  /// Σ λ_i g_i(W_i u), for functions that vary at an iteration; without one: their value(). `copies`: an
  /// array of copy_shape for each term that has a transform.
  double others(View<const C> u, std::vector<Array<C>>& copies, Context& ctx,
                std::optional<Index> iteration = {}) const;

  /// Throws Error if there is a first iterate that does not fit.
  void check_start(View<const C> image_start, Context& ctx) const;
  /// Writes the first iterate in these units into u, or 0 if there is none; true: it is not 0.
  bool start(View<const C> image_start, View<C> u, Context& ctx) const;
  /// The result of a run that ended at u.
  SolverResult<T> finish(SolverRun<T>& run, View<const C> u, Context& ctx) const;
  /// The zero image of zero data.
  SolverResult<T> finish_zero(SolverRun<T>& run, Context& ctx) const;

 private:
  void check_term(const Regularizer<T>& term, const Context& ctx) const;

  const Operator<T>& normal_;
  View<const C> rhs_;
  Array<C> rhs_with_priors_;
  std::vector<const Regularizer<T>*> terms_;
  Index auxiliary_ = 0;
  double norm_squared_ = 0, scale_ = 0, rhs_norm_ = 0, quadratic_ = 0, constant_;
};

}  // namespace larmor::detail
