#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/options/remarks.hpp>
#include <larmor/mri/reconstruct/steps/least_error.hpp>
#include <larmor/mri/reconstruct/steps/model.hpp>
#include <larmor/solvers/found_lambda.hpp>

namespace LARMOR_API larmor {

/// Facts about an image's data that are needed, in addition to the samples, to estimate its error.
struct DataFacts {
  /// Power of the data of all frames, with their weights; none: not needed.
  std::optional<PowerSpectrumEstimate> power{};
  Index coils = 1, frames = 1;     ///< numbers to which the power refers
  Communicator* others = nullptr;  ///< ranks that have the other frames of the unknown
  bool noise_alone = false;        ///< the data contain no signal above the noise
  /// Diameter in points of the centre of k-space without holes (0: no phase constraint), and this centre in
  /// the form that smooth_phase() takes.
  Index phase_points = 0;
  Shape phase_centre{};
  /// For each frame 1 for each sample held out to choose a phase constraint, otherwise 0; empty: no choice.
  std::vector<std::vector<std::uint8_t>> held_out{};
};

/// Solves the problems of a list, all with the same terms: finds λ for "auto" with the first one and keeps
/// it, and ‖A‖² as long as the operator stays the same.
template <typename T>
class ProblemSolver {
 public:
  using C = std::complex<T>;  ///< of vectors

  /// Data for λ "auto" and for SolveOptions::automatic.
  struct Data {
    std::optional<PriorKnowledge> known;  ///< for either of them
    double weight = 0;                    ///< Σw over the samples of all coils: their number without weights
    double energy = 0;                    ///< ‖√w y‖²; 0: not known
    double noise_variance = 0;            ///< of a sample; 0: not known
    bool noise_alone = false;             ///< as in DataFacts
    Array<C> probe;  ///< Aᴴε for independent entries ε = ±1, times √weights of the samples
    /// Model and samples on the context's device, for lsmr; other solvers do not need them.
    Operator<T> model{};
    SharedArray<C> y{};
  };

  /// nufft_tolerance: of Aᴴy. problems: number of solutions with this layout. Throws Error (usage) if a term
  /// does not suit the image, (input) if a prior does not.
  ProblemSolver(const SolveOptions& options, double nufft_tolerance, const ImageLayout& layout,
                const Grids& grids, Index problems, Context& ctx);

  /// Layout of the solutions.
  const Shape& shape() const { return layout_.shape; }
  /// Selects the problem of the next solutions, which may have its own prior. The first one is selected
  /// initially.
  void select(Index problem);
  /// True if the next solve() needs its data, because λ is still to be found.
  bool needs_data() const;
  /// True for the solution of least expected error: SolveOptions::automatic.
  bool expects_error() const { return options_.automatic; }
  /// True if solve() needs the model and its samples.
  bool needs_samples() const { return larmor::needs_samples(options_.solver); }
  /// True if the solution depends on the common scale of the series.
  bool needs_scale() const;
  /// The solver of the last solve(), never `automatic`.
  Solver solver() const { return solver_; }
  /// All data that the next solve() needs; noise_variance as in Data. The model's map energies are borrowed.
  Data data_for(const SeriesProblem<T>& model, double noise_variance, const DataFacts& facts) const;
  /// An automatic λ, found by another rank; 0: not needed.
  double lambda_found() const { return choice_.lambda; }
  /// True if the alternative form of its term was chosen.
  bool takes_alternative() const { return choice_.alternative; }
  void adopt_lambda(double lambda, bool alternative);
  /// Results of an earlier solver: ‖A‖² of the operator, 0 if unknown, and the expected error.
  void adopt(double norm_squared, const std::optional<Expectation>& expectation) {
    norm_squared_ = norm_squared;
    expectation_ = expectation;
  }
  double norm_squared() const { return norm_squared_; }
  /// To be called if the operator has changed.
  void forget_norm() { norm_squared_ = 0; }
  /// `scale`: max|Aᴴy| over the series, 0: of this image. Fills the image's part of the report.
  Array<C> solve(const LinearOperator<T>& normal, Array<C> rhs, const Data& data, double scale,
                 ImageReport& report);
  /// options.regularizers with the λ that was found.
  const std::vector<RegularizerSpec>& terms() const { return specs_; }
  /// Method by which λ was found; empty if it was given.
  const LambdaChoice& lambda_choice() const { return choice_; }
  /// Warns if no problem had data above the noise.
  void tell_noise_alone() const;
  /// Expected error of the first solution, if SolveOptions::automatic requests it.
  const std::optional<Expectation>& expectation() const { return expectation_; }

 private:
  double energy_of(const SeriesProblem<T>& model) const;
  Data data_of(const SeriesProblem<T>& model, double noise_variance) const;
  PriorKnowledge knowledge_of(const SeriesProblem<T>& model, double noise_variance,
                              const DataFacts& facts) const;
  SolverResult<T> run(Problem<T> problem, Solver choice, const SolverOptions<T>& solver);
  Solver chosen(Problem<T> problem);
  SolverOptions<T> solver_options() const;
  DataMark mark_of(View<const C> rhs) const;
  SolverHooks<T> hooks(View<const C> rhs) const;
  std::shared_ptr<const Array<C>> prior(const std::string& file, Index problem) const;
  void find_lambda(const Problem<T>& problem, const Data& data);
  void search_lambda(Problem<T> problem, const Data& data);
  void compare_with_linear(const RegularizerSpec& spec, double linear);
  SolverResult<T> least_error(const Problem<T>& problem, const Data& data, SolverOptions<T> solver);
  void warn_of_misfit(const SolverResult<T>& result, const LinearOperator<T>& normal, View<const C> rhs,
                      const Data& data, const ImageReport& report);
  void compare_with_data(View<const C> image, const LinearOperator<T>& normal, View<const C> rhs,
                         const Data& data, ImageReport& report);
  void expect(View<const C> image, const Data& data, const ImageReport& report);

  const SolveOptions& options_;
  double nufft_tolerance_;
  ImageLayout layout_;
  const Grids& grids_;
  Index problems_, selected_ = 0;
  Context& ctx_;
  RegularizerSetting<T> setting_;
  std::vector<RegularizerSpec> specs_;
  std::vector<Regularizer<T>> terms_;
  LambdaChoice choice_;
  std::optional<LeastError<T>> estimate_;
  std::optional<Expectation> expectation_;
  double noise_variance_ = 0;       // of a sample, used by the estimate
  std::vector<double> objectives_;  // see SavedState
  double shown_variance_ = 0;       // noise variance according to them; 0: not yet known
  Solver solver_ = Solver::automatic;
  bool told_solver_ = false;
  double norm_squared_ = 0;
  SolutionRemarks told_;
};

/// data.known; if the noise level is unknown, with the noise estimated from the residual.
template <typename T>
PriorKnowledge with_noise_of_data(const LinearOperator<T>& normal,
                                  std::type_identity_t<View<const std::complex<T>>> rhs,
                                  const typename ProblemSolver<T>::Data& data, Context& ctx);

/// options.transform.toeplitz; off for solvers that work on samples, which do not use it.
NormalOptions::Toeplitz toeplitz_of(const ReconstructOptions& options);

/// Vectors of an unknown's size that the solver holds, with the copies that its terms need.
double solver_images(const SolveOptions& options, const ImageLayout& layout);

}  // namespace larmor
