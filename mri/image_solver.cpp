#include <larmor/core/error.hpp>
#include <larmor/mri/image_solver.hpp>

#include <algorithm>
#include <cmath>
#include <random>

namespace larmor {
namespace {

// While λ is searched for, each trial starts from the solution for the one before.
constexpr Index trial_iterations = 60;
// Curvature, relative to the largest, at which conjugate gradients go on whatever the NUFFT's tolerance.
constexpr double largest_null_space = 5e-3;

SolverChoice choice_of(SolverKind kind) {
  switch (kind) {
    case SolverKind::conjugate_gradient:
      return SolverChoice::cg;
    case SolverKind::fista:
      return SolverChoice::fista;
    case SolverKind::admm:
      return SolverChoice::admm;
    case SolverKind::pdhg:
      return SolverChoice::pdhg;
    default:
      return SolverChoice::automatic;
  }
}

}  // namespace

template <typename T>
ImageSolver<T>::ImageSolver(const ReconstructOptions& options, const ImageLayout& layout, Context& ctx)
    : options_(options), ctx_(ctx), specs_(options.regularizers) {
  RegularizerSetting<T> setting;
  setting.image = layout;
  setting.device = ctx.device();
  for (const RegularizerSpec& spec : specs_) terms_.push_back(make_regularizer<T>(spec, setting));
  const auto searched =
      std::count_if(specs_.begin(), specs_.end(), [](const auto& spec) { return spec.automatic; });
  if (searched > 1)
    throw usage_error("--regularizer: lambda is auto in {} terms; give numbers in all but one", searched);
}

template <typename T>
bool ImageSolver<T>::needs_data() const {
  return std::any_of(specs_.begin(), specs_.end(), [](const auto& spec) { return spec.automatic; });
}

template <typename T>
typename ImageSolver<T>::Data ImageSolver<T>::data_of(const LinearOperator<T>& A, const Array<C>& samples,
                                                      double noise_variance) const {
  Data data;
  data.samples = static_cast<double>(samples.size());
  data.energy = squared_norm<T>(samples, ctx_);
  data.noise_variance = noise_variance;
  Array<C> signs(samples.shape());
  std::mt19937 generator(20180229);
  for (C& sign : signs) sign = generator() & 1u ? C(1) : C(-1);
  data.probe = A.adjoint(moved_to(ctx_.device(), std::move(signs)), ctx_);
  return data;
}

template <typename T>
bool ImageSolver<T>::needs_scale() const {
  return std::any_of(terms_.begin(), terms_.end(), [](const auto& term) { return !term.quadratic; });
}

template <typename T>
SolverResult<T> ImageSolver<T>::run(const LinearOperator<T>& normal, View<const C> rhs, View<const C> start,
                                    double scale, Index iterations, double tolerance) {
  Problem<T> problem;
  problem.normal = &normal;
  problem.rhs = rhs;
  problem.regularizers = terms_;
  problem.norm_squared = norm_squared_;
  problem.scale = scale;
  SolverOptions<T> solver;
  solver.iterations = iterations;
  solver.tolerance = tolerance;
  solver.start = start;
  // Aᴴy is exact to the NUFFT's tolerance, and a direction of relative curvature q amplifies its error by
  // 1/q: below this, nothing but that error would be added.
  solver.null_space = std::min(2 * options_.nufft_tolerance, largest_null_space);
  solver_ = choice_of(options_.solver);
  if (solver_ == SolverChoice::automatic) solver_ = automatic_solver<T>(problem, ctx_);
  SolverResult<T> result = larmor::solve<T>(problem, solver_, solver, ctx_);
  if (result.operator_norm_squared > 0) norm_squared_ = result.operator_norm_squared;
  return result;
}

template <typename T>
void ImageSolver<T>::find_lambda(const LinearOperator<T>& normal, View<const C> rhs, const Data& data,
                                 double scale) {
  const auto searched = static_cast<std::size_t>(
      std::find_if(specs_.begin(), specs_.end(), [](const auto& spec) { return spec.automatic; }) -
      specs_.begin());
  // The perturbed right-hand side is measured by the same scale.
  if (!(scale > 0)) scale = max_magnitude<T>(rhs, ctx_);
  const SolveForLambda<T> solve = [&](double lambda, View<const C> b, View<const C> start) {
    terms_[searched].lambda = lambda;
    return std::move(run(normal, b, start, scale, std::min(trial_iterations, iterations_of(options_)), 0).x);
  };
  choice_ = choose_lambda<T>(
      normal, rhs, data.probe,
      {.samples = data.samples, .data_energy = data.energy, .noise_variance = data.noise_variance}, solve,
      ctx_);
  RegularizerSpec& spec = specs_[searched];
  terms_[searched].lambda = spec.lambda = choice_.lambda;
  spec.automatic = false;
  const std::string reason = choice_.rule == "SURE"
                                 ? "least error estimated from the noise of the whitened samples (SURE)"
                                 : "generalised cross validation: the noise level is not known";
  ctx_.reporter().note(fmt::format("regularizer {}: lambda {:.3g}, {}", spec.name, spec.lambda, reason));
  if (!choice_.interior)
    ctx_.reporter().warning(
        fmt::format("regularizer {}: the estimated error has no minimum up to lambda {:.3g}; give a number "
                    "if the image is wrong",
                    spec.name, spec.lambda));
}

template <typename T>
Array<std::complex<T>> ImageSolver<T>::solve(const LinearOperator<T>& normal, Array<C> rhs, const Data& data,
                                             double scale, ImageReport& report) {
  if (needs_data() && squared_norm<T>(rhs, ctx_) > 0) find_lambda(normal, rhs, data, scale);
  SolverResult<T> result = run(normal, rhs, {}, scale, iterations_of(options_), options_.tolerance);
  report.history = std::move(result.history);
  report.stop_reason = std::move(result.stop_reason);
  report.operator_norm_squared = result.operator_norm_squared;
  report.scale = result.scale;
  return std::move(result.x);
}

template class ImageSolver<float>;
template class ImageSolver<double>;

}  // namespace larmor
