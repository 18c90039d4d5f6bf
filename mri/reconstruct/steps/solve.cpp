#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/core/vectors/random_bits.hpp>
#include <larmor/mri/reconstruct/steps/solve.hpp>
#include <larmor/solvers/regularizers/parameters.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace LARMOR_API larmor {
namespace {

// Relative curvature above which conjugate gradients continue for any NUFFT tolerance.
constexpr double largest_null_space = 5e-3;
// Far above the differences by rounding between devices for the same data.
constexpr double same_data = 1e-3;

// True if an error of this fraction has more than half of the energy.
bool more_than_half(double fraction) {
  return 2 * fraction * fraction > 1;
}

template <typename T>
double sum_over_ranks(const SeriesProblem<T>& model, double value) {
  return model.ranks ? model.ranks->all_reduce(value) : value;
}

bool is_automatic(const RegularizerSpec& spec) {
  return spec.automatic;
}

// Reason for the solver chosen by "auto": see the registry's rows.
template <typename T>
const char* reason_of(const Problem<T>& problem, Context& ctx) {
  switch (terms_of(problem, ctx)) {
    case SolvableTerms::quadratic:
      return problem.regularizers.empty() ? "there are no regularizers" : "all terms are quadratic";
    case SolvableTerms::one_unitary:
      return "one term that is not quadratic, of a unitary transform";
    case SolvableTerms::any:
      break;
  }
  return "several terms that are not quadratic, or one of a transform that is not unitary";
}

}  // namespace

template <typename T>
ProblemSolver<T>::ProblemSolver(const SolveOptions& options, double nufft_tolerance,
                                const ImageLayout& layout, const Grids& grids, Index problems, Context& ctx)
    : options_(options),
      nufft_tolerance_(nufft_tolerance),
      layout_(layout),
      grids_(grids),
      problems_(problems),
      ctx_(ctx),
      specs_(options.regularizers) {
  setting_.image = layout;
  setting_.device = ctx.device();
  setting_.read_image = [this](const std::string& file) { return prior(file, 0); };
  for (const RegularizerSpec& spec : specs_) terms_.push_back(make_regularizer<T>(spec, setting_));
}

template <typename T>
void ProblemSolver<T>::select(Index problem) {
  if (problem == selected_) return;
  selected_ = problem;
  for (std::size_t i = 0; i < terms_.size(); ++i)
    if (terms_[i].prior) terms_[i].prior = prior(parameter_text(specs_[i], "prior"), problem);
}

template <typename T>
std::shared_ptr<const Array<std::complex<T>>> ProblemSolver<T>::prior(const std::string& file,
                                                                      Index problem) const {
  const auto given = std::find_if(options_.priors.begin(), options_.priors.end(),
                                  [&](const GivenPrior& p) { return p.file == file; });
  if (given == options_.priors.end())
    throw usage_error("regularizer l2: no image is given for prior={}", file);
  const Shape recon = grids_.recon_shape(), solve = grids_.solve_shape(), &shape = given->image.shape();
  const int axes = recon.rank(), outer = shape.rank() - axes;
  const Index copies = layout_.shape.size() / solve.size();  // frames, coefficients or coils of one image
  require_representable("prior " + file, given->image);
  const Shape pixels = outer >= 0 ? shape.drop_front(outer) : Shape{};
  const Index each = pixels.size() > 0 ? given->image.size() / pixels.size() : 0;
  if (!(pixels == recon || pixels == solve) || (each != copies && each != copies * problems_))
    throw input_error("prior {}: shape {}, expected {} as the image{}", file, shape.to_string(),
                      (copies > 1 ? recon.prepend(copies) : recon).to_string(),
                      problems_ > 1 ? fmt::format(", or {} of these", problems_) : "");
  const View<const std::complex<float>> all =
      given->image.reshaped(pixels.prepend(copies).prepend(each / copies));
  const auto placed =
      extended<std::complex<float>>(all.slice(each > copies ? problem : 0), solve, std::complex<float>(0));
  // Written images are 1/√N times the solution.
  const T unit = static_cast<T>(std::sqrt(static_cast<double>(solve.size())));
  Array<C> result(layout_.shape);
  for (Index i = 0; i < result.size(); ++i) result[i] = C(placed[i]) * unit;
  return std::make_shared<const Array<C>>(moved_to(ctx_.device(), std::move(result)));
}

template <typename T>
bool ProblemSolver<T>::needs_data() const {
  return std::any_of(specs_.begin(), specs_.end(), is_automatic);
}

template <typename T>
typename ProblemSolver<T>::Data ProblemSolver<T>::data_for(const SeriesProblem<T>& model,
                                                           double noise_variance,
                                                           const DataFacts& facts) const {
  Data data;
  // Unknown noise is estimated with a probe.
  if (needs_data() || (expects_error() && !(noise_variance > 0) && !facts.noise_alone))
    data = data_of(model, noise_variance);
  else
    data.noise_variance = noise_variance, data.weight = sum_over_ranks(model, model.weight);
  if (needs_data() || expects_error()) data.known = knowledge_of(model, noise_variance, facts);
  data.noise_alone = facts.noise_alone;
  if (!(data.energy > 0)) data.energy = energy_of(model);
  return data;
}

// ‖√w y‖².
template <typename T>
double ProblemSolver<T>::energy_of(const SeriesProblem<T>& model) const {
  return sum_over_ranks(model, squared_norm<T>(model.samples, ctx_));
}

// The data's energy, weight and probe.
template <typename T>
typename ProblemSolver<T>::Data ProblemSolver<T>::data_of(const SeriesProblem<T>& model,
                                                          double noise_variance) const {
  Data data;
  data.energy = energy_of(model);
  data.noise_variance = noise_variance;
  Context host = ctx_.host();
  Array<C> signs(model.samples.shape());
  const View<C> all = signs.view().reshaped({signs.size()});
  // From one sequence for the whole problem, however it is divided.
  Index filled = 0;
  for (const SampleRun& run : model.runs) {
    fill_with_signs<T>(all.slices(filled, run.count), static_cast<std::uint64_t>(run.first), host);
    filled += run.count;
  }
  if (model.root_density.size() > 0)
    parallel_for(host, signs.size(), 1 << 14, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) signs[i] *= model.root_density[i];
    });
  data.weight = squared_norm<T>(signs, host);
  data.probe =
      model.model->adjoint(moved_to(ctx_.device(), std::move(signs), model.samples.placement()), ctx_);
  if (model.ranks) data.weight = model.ranks->all_reduce(data.weight);
  return data;
}

template <typename T>
PriorKnowledge ProblemSolver<T>::knowledge_of(const SeriesProblem<T>& model, double noise_variance,
                                              const DataFacts& facts) const {
  const PowerSpectrumEstimate& power = *facts.power;
  // Noise-free data still have the transform's error.
  const double error = std::pow(nufft_tolerance_, 2) * power.energy() / std::max(power.samples(), 1.0);
  return {.power = power,
          .coils = facts.coils,
          .frames = facts.frames,
          .noise_variance = std::max(noise_variance, error),
          .noise_alone = facts.noise_alone,
          .map_energy = model.map_energy,
          .others = facts.others};
}

template <typename T>
void ProblemSolver<T>::adopt_lambda(double lambda, bool alternative) {
  for (std::size_t i = 0; i < specs_.size(); ++i) {
    if (!specs_[i].automatic) continue;
    if (alternative) {
      specs_[i] = with_haar(specs_[i]);
      terms_[i] = make_regularizer<T>(specs_[i], setting_);
    }
    terms_[i].lambda = specs_[i].lambda = lambda;
    specs_[i].automatic = false;
  }
}

template <typename T>
bool ProblemSolver<T>::needs_scale() const {
  return std::any_of(terms_.begin(), terms_.end(), [](const auto& term) { return !term.quadratic; });
}

template <typename T>
SolverResult<T> ProblemSolver<T>::run(Problem<T> problem, Solver choice, const SolverOptions<T>& solver) {
  problem.regularizers = terms_;
  problem.norm_squared = norm_squared_;
  solver_ = estimate_ ? Solver::cg : choice;
  SolverResult<T> result = larmor::solve<T>(problem, solver_, solver, ctx_);
  if (!estimate_ && result.operator_norm_squared > 0) norm_squared_ = result.operator_norm_squared;
  return result;
}

// The solver that suits the terms.
template <typename T>
Solver ProblemSolver<T>::chosen(Problem<T> problem) {
  if (options_.solver != Solver::automatic) return options_.solver;
  problem.regularizers = terms_;
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].automatic) problem.regularizers[i].lambda = 1;  // a term without weight would not count
  const Solver solver = automatic_solver<T>(problem, ctx_);
  if (!estimate_ && !std::exchange(told_solver_, true))
    ctx_.reporter().note(fmt::format("solver {}: {}", to_string(solver), reason_of(problem, ctx_)));
  return solver;
}

// Options of every solution, and of trials for λ: the requested accuracy.
template <typename T>
SolverOptions<T> ProblemSolver<T>::solver_options() const {
  SolverOptions<T> solver;
  solver.iterations = iterations_of(options_);
  solver.tolerance = options_.tolerance;
  solver.distance = options_.distance > 0     ? options_.distance
                    : options_.iterations > 0 ? 0
                    : needs_scale()           ? near_minimum
                                              : converged_distance;
  // Aᴴy is exact to the NUFFT's tolerance, and in a direction of relative curvature q its error is amplified
  // by 1/q: below this curvature only that error would be added.
  solver.null_space = std::min(2 * nufft_tolerance_, largest_null_space);
  return solver;
}

// Frames have the same signs, so that the mark does not depend on the number of processes that share them.
template <typename T>
DataMark ProblemSolver<T>::mark_of(View<const C> rhs) const {
  const Context host = ctx_.host();
  Array<C> signs(rhs.shape());
  const Index pixels = layout_.pixels(), frames = signs.size() / pixels;
  const View<C> by_frame = signs.view().reshaped({frames, pixels});
  for (Index f = 0; f < frames; ++f) fill_with_signs<T>(by_frame.slice(f), 0, host);
  signs = moved_to(ctx_.device(), std::move(signs));
  const auto [energy, sum] = dots<T>({{rhs, rhs}, {signs, rhs}}, ctx_);
  return {std::sqrt(energy.real()), sum};
}

template <typename T>
SolverHooks<T> ProblemSolver<T>::hooks(View<const C> rhs) const {
  SolverHooks<T> hooks;
  if (!options_.checkpoint && !options_.resume) return hooks;
  const DataMark data = mark_of(rhs);
  const std::string terms = to_string(specs_);
  if (options_.checkpoint && options_.checkpoint_every > 0) {
    hooks.checkpoint_every = options_.checkpoint_every;
    hooks.checkpoint = [this, terms, data](Checkpoint<T> taken) {
      options_.checkpoint({selected_, terms, data, std::move(taken), objectives_, shown_variance_});
    };
  }
  const SavedState* saved = options_.resume;
  if (!saved || saved->image != selected_) return hooks;
  hooks.resume = std::get_if<Checkpoint<T>>(&saved->solver);
  if (!hooks.resume)
    throw input_error("the checkpoint is in {} precision; continue with that, or start from the beginning",
                      std::is_same_v<T, float> ? "double" : "single");
  if (saved->terms != terms)
    throw input_error(
        "the checkpoint has the regularizer {}, not {}; continue with that, or start from the beginning",
        saved->terms, terms);
  const double least = same_data * data.norm;
  if (!(std::abs(saved->data.norm - data.norm) <= least && std::abs(saved->data.sum - data.sum) <= least))
    throw input_error(
        "the checkpoint belongs to other data: |A'y| is {:.6g} there, {:.6g} here, and a sum of pixels with "
        "random signs {:.4g}{:+.4g}i and {:.4g}{:+.4g}i; start from the beginning",
        saved->data.norm, data.norm, saved->data.sum.real(), saved->data.sum.imag(), data.sum.real(),
        data.sum.imag());
  return hooks;
}

template <typename T>
void ProblemSolver<T>::search_lambda(Problem<T> problem, const Data& data) {
  const PriorKnowledge known = with_noise_of_data<T>(problem.normal, problem.rhs, data, ctx_);
  const double linear =
      LeastError<T>(problem.normal, problem.rhs, known, layout_.space, ctx_).error_at_samples(ctx_) /
      data.weight;
  problem.regularizers = terms_;
  problem.norm_squared = norm_squared_;
  TermsWithLambda<T> found = larmor::find_lambda<T>(
      problem, specs_, setting_,
      {{.weight = data.weight, .data_energy = data.energy, .noise_variance = data.noise_variance},
       data.probe.view()},
      chosen(problem), solver_options(), ctx_);
  choice_ = std::move(found.choice);
  const auto searched = std::find_if(specs_.begin(), specs_.end(), is_automatic) - specs_.begin();
  specs_ = std::move(found.specs);
  terms_ = std::move(found.terms);
  const RegularizerSpec& spec = specs_[static_cast<std::size_t>(searched)];
  if (choice_.alternative)
    ctx_.reporter().note(
        fmt::format("regularizer {}: Haar wavelets (order=1) have the smaller estimated error", spec.name));
  const std::string reason = choice_.criterion == LambdaCriterion::sure
                                 ? "least error estimated from the noise of the samples (SURE)"
                                 : "generalised cross validation: the noise level is unknown";
  ctx_.reporter().note(fmt::format("regularizer {}: lambda {:.3g}, {}", spec.name, choice_.lambda, reason));
  // Cross-validation estimates a sum that includes the noise.
  compare_with_linear(spec,
                      choice_.criterion == LambdaCriterion::gcv ? linear + known.noise_variance : linear);
  if (choice_.interior) return;
  const auto [least, largest] =
      std::minmax_element(choice_.trials.begin(), choice_.trials.end(),
                          [](const auto& a, const auto& b) { return a.lambda < b.lambda; });
  ctx_.reporter().warning(
      fmt::format("regularizer {}: the estimated error has no minimum between lambda {:.3g} and {:.3g}; the "
                  "largest lambda that is about as good as the best is used, {:.3g}; give a number if the "
                  "image is wrong",
                  spec.name, least->lambda, largest->lambda, choice_.lambda));
}

// Compares the term's error at the samples with the expected total error of the default.
template <typename T>
void ProblemSolver<T>::compare_with_linear(const RegularizerSpec& spec, double linear) {
  double risk = std::numeric_limits<double>::infinity();
  for (const LambdaTrial& trial : choice_.trials) risk = std::min(risk, trial.risk);
  if (risk < linear) return;
  ctx_.reporter().warning(
      fmt::format("regularizer {}: the estimated error is not below that of the default image: use the "
                  "default, without a regularizer, or give a lambda, as {}:1e-3",
                  spec.name, spec.name));
}

template <typename T>
void ProblemSolver<T>::find_lambda(const Problem<T>& problem, const Data& data) {
  if (!data.noise_alone) return search_lambda(problem, data);
  // A threshold of twice the noise of the image leaves little of it.
  const double scale = problem.scale > 0 ? problem.scale : max_magnitude<T>(problem.rhs.view(), ctx_);
  const double deviation = std::sqrt(data.energy / data.weight * squared_norm<T>(data.probe, ctx_) /
                                     static_cast<double>(data.probe.size()));
  choice_.lambda = as_printed(2 * deviation / scale);
  choice_.criterion = LambdaCriterion::noise_alone;
  ctx_.reporter().warning(
      fmt::format("the data contain no signal above the noise: regularizer {} uses lambda {:.3g}, which "
                  "suppresses most of the noise",
                  std::find_if(specs_.begin(), specs_.end(), is_automatic)->name, choice_.lambda));
  adopt_lambda(choice_.lambda, false);
}

template <typename T>
Array<std::complex<T>> ProblemSolver<T>::solve(const LinearOperator<T>& normal, Array<C> rhs,
                                               const Data& data, double scale, ImageReport& report) {
  Problem<T> problem{normal, std::move(rhs)};
  problem.scale = scale;
  problem.model = data.model;
  problem.samples = data.y;
  problem.data_energy = data.energy;
  const double data_norm = std::sqrt(squared_norm<T>(problem.rhs.view(), ctx_));
  const bool searches = needs_data() && data_norm > 0;
  if (searches) find_lambda(problem, data);
  SolverOptions<T> solver = solver_options();
  const double goal = solver.distance;
  objectives_.clear();
  shown_variance_ = 0;
  solver.hooks = hooks(problem.rhs);
  SolverResult<T> result = data.known && expects_error() && data_norm > 0
                               ? least_error(problem, data, solver)
                               : run(problem, chosen(problem), solver);
  if (data.energy > 0 && !data.noise_alone)
    compare_with_data(result.x, normal, problem.rhs.view(), data, report);
  // The small remainder of pure noise need not converge, and may be zero.
  bool empty = false;
  if (!data.noise_alone) {
    told_.convergence(result, goal, specs_, ctx_.reporter());
    empty = data.energy > 0 && max_magnitude<T>(result.x, ctx_) == 0;
    if (empty) told_.nothing_left(specs_, ctx_.reporter());
  }
  if (estimate_ && data.known) {
    // Below the expected error, more iterations do not make a better image; without noise they take long.
    if (result.stop_reason == StopReason::iterations && options_.iterations == 0 &&
        result.energy > estimate_->expected_energy())
      told_.not_converged(solver.iterations, ctx_.reporter());
    expect(result.x, data, report);
    if (expectation_ && !expectation_->noise_alone && more_than_half(expectation_->error()))
      told_.uncertain(expectation_->error(), ctx_.reporter());
  }
  if (!data.noise_alone && !empty) warn_of_misfit(result, normal, problem.rhs.view(), data, report);
  report.distance = result.distance;
  report.history = std::move(result.history);
  report.stop_reason = result.stop_reason;
  report.operator_norm_squared = result.operator_norm_squared;
  report.scale = result.scale;
  report.step_size = result.step_size;
  return std::move(result.x);
}

template <typename T>
void ProblemSolver<T>::tell_noise_alone() const {
  if (expectation_ && expectation_->noise_alone)
    ctx_.reporter().warning("the data contain no signal above the noise: the image shows noise only");
}

template <typename T>
PriorKnowledge with_noise_of_data(const LinearOperator<T>& normal,
                                  std::type_identity_t<View<const std::complex<T>>> rhs,
                                  const typename ProblemSolver<T>::Data& data, Context& ctx) {
  PriorKnowledge known = *data.known;
  if (data.noise_variance > 0 || data.probe.empty()) return known;
  // Errors of the model are also left, but are not noise.
  known.noise_variance =
      std::max(known.noise_variance,
               std::min(known.power.most_noise(),
                        remaining_noise<T>(normal, rhs, data.energy, data.probe, known.power.weight(), ctx)));
  return known;
}

// The estimate of least expected error. Errors of the model act as additional noise: as soon as the
// iterations show that the residual exceeds the noise, they continue with a correspondingly larger noise
// variance.
template <typename T>
SolverResult<T> ProblemSolver<T>::least_error(const Problem<T>& problem, const Data& data,
                                              SolverOptions<T> solver) {
  PriorKnowledge known = with_noise_of_data<T>(problem.normal, problem.rhs, data, ctx_);
  noise_variance_ = known.noise_variance;
  const auto solve = [&] {
    estimate_ = LeastError<T>(problem.normal, problem.rhs, known, layout_.space, ctx_);
    solver.preconditioner = estimate_->preconditioner();
    solver.energy = estimate_->negligible_energy();
    Problem<T> with_power = problem;
    with_power.normal = estimate_->normal();
    return run(std::move(with_power), Solver::cg, solver);
  };
  solver.distance = 0;
  RemainingData remaining(data.energy);
  if (solver.hooks.resume) {
    objectives_ = options_.resume->objectives;
    shown_variance_ = options_.resume->noise_variance;
    for (const double objective : objectives_) remaining.settles(objective);
  }
  SolverResult<T> result;
  if (shown_variance_ == 0) {
    solver.hooks.step = [&](const SolverStep& step, View<const C>) {
      objectives_.push_back(step.objective);
      if (!remaining.settles(step.objective)) return false;
      const double shown = std::min(known.power.most_noise(), remaining.energy() / known.power.weight());
      const bool more = shown > (1 + RemainingData::uncertainty) * known.noise_variance;
      if (more) shown_variance_ = shown;
      return more;
    };
    result = solve();
    if (shown_variance_ == 0) return result;
    solver.hooks.step = {};
    solver.hooks.resume = nullptr;
    solver.start = std::move(result.x);
  }
  known.noise_variance = shown_variance_;
  const Index before = std::ssize(objectives_);
  std::vector<SolverStep> history = std::move(result.history);
  solver.iterations -= before;
  result = solve();
  for (SolverStep& step : result.history) step.iteration += before, history.push_back(step);
  result.history = std::move(history);
  return result;
}

template <typename T>
void ProblemSolver<T>::compare_with_data(View<const C> image, const LinearOperator<T>& normal,
                                         View<const C> rhs, const Data& data, ImageReport& report) {
  const Array<C> normal_image = normal.apply(image, ctx_);
  const auto [quadratic, linear] = dots<T>({{image, normal_image}, {image, rhs}}, ctx_);
  const double left = std::max(0.0, quadratic.real() - 2 * linear.real() + data.energy);
  report.unexplained = std::sqrt(left / data.energy);
  const bool estimated = estimate_ && data.known;
  const double noise =
      estimated ? noise_variance_ * data.known->power.weight() : data.noise_variance * data.weight;
  if (estimated || noise > 0) report.noise = std::sqrt(noise / data.energy);
}

// The same criterion for all images. With a given number of iterations, the part that more iterations would
// fit is not an error of the model, unless nothing was fitted: an image of zeros leaves exactly all of the
// data unexplained. Noise that is known from the residual alone cannot explain more than the image does.
template <typename T>
void ProblemSolver<T>::warn_of_misfit(const SolverResult<T>& result, const LinearOperator<T>& normal,
                                      View<const C> rhs, const Data& data, const ImageReport& report) {
  const double unexplained = report.unexplained, noise = report.noise;
  // Errors below those of noise and undersampling do not matter, unless they exceed the noise itself.
  const double tolerated = estimate_ && expectation_ ? std::min(expectation_->expected.error, noise) : 0;
  const bool mostly_left = estimate_ && data.noise_variance == 0 && more_than_half(unexplained);
  if (!mostly_left && !misfits(unexplained, noise, 0, tolerated)) return;
  if (result.stop_reason == StopReason::iterations && options_.iterations > 0 && !estimate_ &&
      unexplained <= 1) {
    Array<C> step = copied_to(ctx_.device(), rhs);
    axpy<T>(-1, normal.apply(result.x, ctx_), step, ctx_);
    const Array<C> normal_step = normal.apply(step, ctx_);
    const auto [slope, curvature] = dots<T>({{step, step}, {step, normal_step}}, ctx_);
    if (!misfits(unexplained, noise, still_fitted(slope.real(), curvature.real()) / data.energy)) return;
  }
  told_.misfit(unexplained, noise, !estimate_ && !terms_.empty() ? ", or take a smaller lambda" : "",
               ctx_.reporter());
}

// For the first problem that contains more than noise, because the others are similar.
template <typename T>
void ProblemSolver<T>::expect(View<const C> image, const Data& data, const ImageReport& report) {
  const Expectation found{noise_variance_, data.noise_alone, {}, report.unexplained, report.noise};
  if (!expectation_ || (expectation_->noise_alone && !data.noise_alone)) {
    expectation_ = found;
    if (!data.noise_alone) expectation_->expected = estimate_->expected_error(image, ctx_);
  }
}

NormalOptions::Toeplitz toeplitz_of(const ReconstructOptions& options) {
  return needs_samples(options.solve.solver) ? NormalOptions::Toeplitz::off : options.transform.toeplitz;
}

double solver_images(const SolveOptions& options, const ImageLayout& layout) {
  // Conjugate gradients: x, r, p, q and the right-hand side. Other solvers: the unknowns, their previous
  // values and gradients; for each term its copy, dual variable and work vector; and the movement of the
  // iterates.
  // The estimate of least error has three diagonals, a probe, and, to predict its own error, two random
  // images and a preconditioned residual beside its solution.
  double images = options.automatic ? 14 : 5;
  if (options.checkpoint_every > 0) images += 8;  // the state passed to the checkpoint
  for (const RegularizerSpec& spec : options.regularizers) {
    RegularizerSetting<float> setting;
    setting.image = layout;
    RegularizerSpec without_files = spec;
    // A prior, and the right-hand side that includes it.
    if (std::erase_if(without_files.parameters, [](const auto& p) { return p.first == "prior"; }) > 0)
      images += 2;
    const Regularizer<float> term = make_regularizer<float>(without_files, setting);
    if (term.quadratic) continue;
    const bool perhaps_admm = options.solver == Solver::admm ||
                              (options.solver == Solver::automatic && options.regularizers.size() > 1);
    if (const auto fixed = with_fixed_shifts(term); fixed && perhaps_admm) {
      // ADMM's copies in all shifts, and its vectors.
      const double copies =
          static_cast<double>(fixed->transform.codomain().size()) / static_cast<double>(layout.shape.size());
      images += 10 + 3 * copies + (spec.automatic ? 3 * (1 + copies) : 0);  // final states of the trials
      continue;
    }
    const double copy = term.transform ? static_cast<double>(term.transform.codomain().size())
                                       : static_cast<double>(layout.shape.size());
    images += 4 + ((spec.automatic ? 5 : 3) * copy + 6 * static_cast<double>(term.auxiliary)) /
                      static_cast<double>(layout.shape.size());
  }
  return images;
}

#define LARMOR_INSTANTIATE(T)                                                                          \
  template class ProblemSolver<T>;                                                                     \
  template PriorKnowledge with_noise_of_data<T>(const LinearOperator<T>&, View<const std::complex<T>>, \
                                                const ProblemSolver<T>::Data&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
