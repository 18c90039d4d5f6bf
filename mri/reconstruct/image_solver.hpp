#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/solvers/lambda_search.hpp>
#include <larmor/solvers/solve.hpp>

namespace LARMOR_API larmor {

/// Solves the images of one series, all with the same terms: finds a λ that was asked for as "auto" on the
/// first image and keeps it, and ‖A‖² as long as the operator stays the same.
template <typename T>
class ImageSolver {
 public:
  using C = std::complex<T>;

  /// What λ "auto" needs to know of an image's data.
  struct Data {
    double samples = 0;         ///< number of samples, all coils
    double energy = 0;          ///< ‖y‖²
    double noise_variance = 0;  ///< of a sample; 0: not known
    Array<C> probe;             ///< Aᴴε for independent entries ε = ±1
    /// What lsmr works on, on the context's device; others do without.
    const LinearOperator<T>* model = nullptr;
    Array<C> y;
  };

  /// images: how many solutions of the layout there will be. Throws Error (usage) when a term does not fit
  /// the image, (input) when a prior does not.
  ImageSolver(const ReconstructOptions& options, const ImageLayout& layout, const Grids& grids, Index images,
              Context& ctx);

  /// The next solutions are of this image, which may have a prior of its own. The first one is selected.
  void select(Index image);
  /// Whether the next solve() needs its data: λ is still to be found.
  bool needs_data() const;
  /// Whether solve() needs the model and its samples.
  bool needs_samples() const { return options_.solver == SolverKind::lsmr; }
  /// Whether the solution depends on the scale that the series shares.
  bool needs_scale() const;
  /// The solver of the last solve(): never automatic then.
  SolverChoice solver() const { return solver_; }
  /// What λ "auto" needs of samples y = A x + n; noise_variance as in Data.
  Data data_of(const LinearOperator<T>& A, const Array<C>& samples, double noise_variance) const;
  /// The operator has changed.
  void forget_norm() { norm_squared_ = 0; }
  /// `scale`: max|Aᴴy| over the series, 0: of this image. Fills the image's part of the report.
  Array<C> solve(const LinearOperator<T>& normal, Array<C> rhs, const Data& data, double scale,
                 ImageReport& report);
  /// options.regularizers with the λ that was found.
  const std::vector<RegularizerSpec>& terms() const { return specs_; }
  /// How λ was found; empty when it was given.
  const LambdaChoice& lambda_choice() const { return choice_; }

 private:
  SolverResult<T> run(Problem<T> problem, SolverChoice choice, SolverOptions<T> solver);
  SolverHooks<T> hooks(double data_norm) const;
  std::shared_ptr<const Array<C>> prior(const std::string& file, Index image) const;
  void find_lambda(const LinearOperator<T>& normal, View<const C> rhs, const Data& data, double scale);

  const ReconstructOptions& options_;
  ImageLayout layout_;
  const Grids& grids_;
  Index images_, selected_ = 0;
  Context& ctx_;
  std::vector<RegularizerSpec> specs_;
  std::vector<Regularizer<T>> terms_;
  LambdaChoice choice_;
  SolverChoice solver_ = SolverChoice::automatic;
  double norm_squared_ = 0;
};

/// "none", or the terms as they may be given again, joined by " + ".
std::string to_string(const std::vector<RegularizerSpec>& specs);

/// Throws Error (usage) when the solver cannot take the terms or options that it is given.
void check_solver(const ReconstructOptions& options);
/// options.toeplitz; off for lsmr, which has no use for it.
NormalOptions::Toeplitz toeplitz_of(const ReconstructOptions& options);

/// options.iterations, or what 0 stands for: 30 where every term is quadratic, otherwise 100.
Index iterations_of(const ReconstructOptions& options);

/// Vectors of an image's size that the solver holds, with the copies that its terms need.
double solver_images(const ReconstructOptions& options, const ImageLayout& layout);

}  // namespace larmor
