#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/quality/transfer.hpp>
#include <larmor/mri/reconstruct/options/remarks.hpp>
#include <larmor/mri/reconstruct/steps/least_error.hpp>
#include <larmor/mri/reconstruct/steps/model.hpp>
#include <larmor/solvers/found_lambda.hpp>

namespace LARMOR_API larmor {

/// Facts about an image's data that an estimate of its error needs beside the samples.
struct DataFacts {
  /// Power of the data of all frames, with their weights; none: not needed.
  std::optional<PowerSpectrumEstimate> power{};
  Index coils = 1, frames = 1;     ///< that the power is of
  Communicator* others = nullptr;  ///< who have other frames of the unknown
  bool noise_alone = false;        ///< they hold nothing that stands out of it
  /// Points across the centre of k-space that has no holes, 0: no phase constraint; and that centre as
  /// smooth_phase() takes it.
  Index phase_points = 0;
  Shape phase_centre{};
  /// PreparedImage::readout_starts of all frames, where a phase constraint is to be chosen.
  std::vector<std::vector<Index>> readouts{};
};

/// Solves the problems of a list, all with the same terms: finds a λ that was asked for as "auto" on the
/// first one and keeps it, and ‖A‖² as long as the operator stays the same.
template <typename T>
class ProblemSolver {
 public:
  using C = std::complex<T>;  ///< of vectors

  /// The data's side of λ "auto" and of SolveOptions::automatic.
  struct Data {
    std::optional<PriorKnowledge> known;  ///< where one of them is
    double weight = 0;                    ///< Σw over the samples of all coils: their number without weights
    double energy = 0;                    ///< ‖√w y‖²; 0: not known
    double noise_variance = 0;            ///< of a sample; 0: not known
    bool noise_alone = false;             ///< as DataFacts has it
    Array<C> probe;  ///< Aᴴε for independent entries ε = ±1, times √weights of the samples
    /// What lsmr works on, on the context's device; others do without.
    Operator<T> model{};
    SharedArray<C> y{};
  };

  /// nufft_tolerance: of Aᴴy. problems: how many solutions of the layout there will be. Throws Error (usage)
  /// when a term does not fit the image, (input) when a prior does not.
  ProblemSolver(const SolveOptions& options, double nufft_tolerance, const ImageLayout& layout,
                const Grids& grids, Index problems, Context& ctx);

  /// Of the solutions.
  const Shape& shape() const { return layout_.shape; }
  /// The next solutions are of this problem, which may have a prior of its own. The first one is selected.
  void select(Index problem);
  /// Whether the next solve() needs its data: λ is still to be found.
  bool needs_data() const;
  /// True for the solution of least expected error: SolveOptions::automatic.
  bool expects_error() const { return options_.automatic; }
  /// Whether solve() needs the model and its samples.
  bool needs_samples() const { return larmor::needs_samples(options_.solver); }
  /// Whether the solution depends on the scale that the series shares.
  bool needs_scale() const;
  /// The solver of the last solve(): never automatic then.
  Solver solver() const { return solver_; }
  /// All that the next solve() needs of its data; noise_variance as in Data. The model's map energies are
  /// borrowed.
  Data data_for(const SeriesProblem<T>& model, double noise_variance, const DataFacts& facts) const;
  /// λ where it is automatic, found by another rank; 0: not needed.
  double lambda_found() const { return choice_.lambda; }
  /// Whether another form of its term was taken with it.
  bool takes_alternative() const { return choice_.alternative; }
  void adopt_lambda(double lambda, bool alternative);
  /// What an earlier solver has found: ‖A‖² of the operator, 0 where it is not known, and the error to
  /// expect.
  void adopt(double norm_squared, const std::optional<Expectation>& expectation) {
    norm_squared_ = norm_squared;
    expectation_ = expectation;
  }
  double norm_squared() const { return norm_squared_; }
  /// The operator has changed.
  void forget_norm() { norm_squared_ = 0; }
  /// `scale`: max|Aᴴy| over the series, 0: of this image. Fills the image's part of the report.
  Array<C> solve(const LinearOperator<T>& normal, Array<C> rhs, const Data& data, double scale,
                 ImageReport& report);
  /// options.regularizers with the λ that was found.
  const std::vector<RegularizerSpec>& terms() const { return specs_; }
  /// How λ was found; empty when it was given.
  const LambdaChoice& lambda_choice() const { return choice_; }
  /// What quadratic terms whose λ was found make of the object, told by what they make of their own image;
  /// NaN where nothing was found.
  const Transfer& transfer() const { return transfer_; }
  /// Warns where no problem had data that stand out of their noise.
  void tell_noise_alone() const;
  /// Expected error of the first solution, if SolveOptions::automatic asks for it.
  const std::optional<Expectation>& expectation() const { return expectation_; }

 private:
  double energy_of(const SeriesProblem<T>& model) const;
  Data data_of(const SeriesProblem<T>& model, double noise_variance) const;
  PriorKnowledge knowledge_of(const SeriesProblem<T>& model, double noise_variance,
                              const DataFacts& facts) const;
  SolverResult<T> run(Problem<T> problem, Solver choice, const SolverOptions<T>& solver);
  Solver chosen(Problem<T> problem);
  SolverOptions<T> solver_options() const;
  SolverHooks<T> hooks(double data_norm) const;
  std::shared_ptr<const Array<C>> prior(const std::string& file, Index problem) const;
  Transfer transfer_to(View<const C> image, const LinearOperator<T>& normal);
  void find_lambda(const Problem<T>& problem, const Data& data);
  void search_lambda(Problem<T> problem, const Data& data);
  void compare_with_linear(const RegularizerSpec& spec, double linear);
  SolverResult<T> least_error(const Problem<T>& problem, const Data& data, SolverOptions<T> solver);
  void warn_of_misfit(const SolverResult<T>& result, const ImageReport& report);
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
  Transfer transfer_;
  std::optional<LeastError<T>> estimate_;
  std::optional<Expectation> expectation_;
  double noise_variance_ = 0;       // of a sample, as the estimate knows it
  std::vector<double> objectives_;  // see SavedState
  double shown_variance_ = 0;       // noise that they show; 0: not yet
  Solver solver_ = Solver::automatic;
  bool told_solver_ = false;
  double norm_squared_ = 0;
  SolutionRemarks told_;
};

/// data.known, with the noise that is left of the data where its level is not known.
template <typename T>
PriorKnowledge with_noise_of_data(const LinearOperator<T>& normal,
                                  std::type_identity_t<View<const std::complex<T>>> rhs,
                                  const typename ProblemSolver<T>::Data& data, Context& ctx);

/// options.transform.toeplitz; off for solvers on samples, which have no use for it.
NormalOptions::Toeplitz toeplitz_of(const ReconstructOptions& options);

/// Vectors of an unknown's size that the solver holds, with the copies that its terms need.
double solver_images(const SolveOptions& options, const ImageLayout& layout);

}  // namespace larmor
