#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/model/phase_constraint.hpp>
#include <larmor/mri/reconstruct/solution.hpp>
#include <larmor/mri/reconstruct/steps/phase_choice.hpp>

#include <algorithm>
#include <utility>

namespace larmor {

template <typename T>
bool Solution<T>::agree(ProblemList& own, const std::function<void(std::size_t)>& solve) {
  for (const PlannedProblem& problem : own.problems) fit(problem);
  if (!solver_) return false;
  bool finds_lambda = true;
  Protocol* const protocol = preparation_.options.protocol.get();
  if (protocol && protocol->scale > 0 && !solver_->needs_data()) {
    common_scale_ = protocol->scale;
  } else if ((solver_->needs_scale() || solver_->needs_data()) && own.size() > 1) {
    const auto [scale, brightest, here] = preparation_.common_scale(own.order);
    if (solver_->needs_scale()) common_scale_ = scale;
    const auto place = std::find(own.order.begin(), own.order.end(), brightest);
    if (solver_->needs_data() && place != own.order.end()) {  // a rank may have none
      std::rotate(own.order.begin(), place, place + 1);
      note_trajectories(own);
    }
    finds_lambda = here;
  }
  const Division& division = preparation_.decisions.division;
  if (division.kind != Divided::problems || !solver_->needs_data()) return false;
  if (finds_lambda) solve(own.order.front());
  const double lambda = division.ranks->all_reduce(solver_->lambda_found(), Reduction::maximum);
  const double alternative =
      division.ranks->all_reduce(solver_->takes_alternative() ? 1.0 : 0.0, Reduction::maximum);
  if (lambda > 0) solver_->adopt_lambda(lambda, alternative > 0);
  return finds_lambda;
}

// Restricts the solver to this rank's frames of the problem.
template <typename T>
void Solution<T>::fit(const PlannedProblem& problem) {
  const ReconstructOptions& options = preparation_.options;
  const Decisions& decisions = preparation_.decisions;
  const ScanPlan& plan = preparation_.selection.plan;
  const Shape unknown = own_frames(problem, decisions.division).unknown;
  if (options.solve.gridding || (solver_ && solver_->shape() == unknown)) return;
  solver_.emplace(options.solve, decisions.memory.nufft_tolerance, ImageLayout{unknown, plan.dims},
                  plan.grids, decisions.list.size(), ctx_);
}

template <typename T>
void Solution<T>::select(const PlannedProblem& problem, std::size_t index) {
  fit(problem);
  if (solver_) solver_->select(static_cast<Index>(index));
  scale_ = common_scale_;
}

template <typename T>
void Solution<T>::describe() const {
  report_.solution.solver = solver_ ? to_string(solver_->solver()) : "gridding";
  if (!solver_) return;
  report_.solution.regularizers = solver_->terms();
  report_.solution.lambda_choice = solver_->lambda_choice();
  report_.solution.expectation = solver_->expectation();
  solver_->tell_noise_alone();
}

template <typename T>
bool Solution<T>::constrains_phase(const SeriesProblem<T>& model, View<const C> rhs,
                                   const typename ProblemSolver<T>::Data& data, const DataFacts& facts) {
  if (facts.phase_points == 0) return false;
  const std::string points =
      fmt::format("the phase is taken from {} points across the centre of k-space", facts.phase_points);
  if (preparation_.options.phase_constraint == PhaseConstraint::on) {
    ctx_.reporter().note("phase constraint: " + points);
    return true;
  }
  if (facts.noise_alone) return false;
  const HeldOutErrors errors =
      cross_validate_phase<T>(model, rhs, data, facts, preparation_.selection.plan.dims, ctx_);
  const bool on = errors.prefer_constraint();
  ctx_.reporter().note(fmt::format(
      "phase constraint {}: predicts held-out readouts with {:.3g} (standard error {:.2g}) of the squared "
      "error without it, expected squared error {:.3g}, added residual {:.2g}{}",
      on ? "on" : "off", errors.ratio, errors.standard_error, errors.expected, errors.added,
      on ? "; " + points : ""));
  return on;
}

template <typename T>
Array<std::complex<T>> Solution<T>::find(const PlannedProblem& problem, SeriesProblem<T>& model,
                                         const DataFacts& facts, ImageReport& report) {
  const bool keep_samples = preparation_.options.output.replicas > 0;
  const double noise_variance = preparation_.selection.channels.noise_variance;
  SharedParts<T>& shared = preparation_.shared;
  if (keep_samples) samples_ = copied_to(Device::cpu(), model.samples);
  if (!solver_) {
    ctx_.reporter().progress("iterate", 0, 0, "");
    Array<C> x = gridded(model);
    compare_with_data(x, model, noise_variance, report);
    clock_.charge("iterate");
    return x;
  }
  ctx_.reporter().progress("setup", 0, 0, "");
  Array<C> rhs = model.model->adjoint(model.samples, ctx_);
  typename ProblemSolver<T>::Data data = solver_->data_for(model, noise_variance, facts);
  constraint_ = {};
  const bool constrained = constrains_phase(model, rhs, data, facts);
  if (solver_->needs_samples()) {
    data.model = model.model;
    data.y = std::move(model.samples);
  }
  model.samples = {};
  ctx_.arena().release();
  const auto [normal, made] =
      normal_of<T>(*model.model, problem, preparation_.decisions.memory, shared, ctx_);
  if (made) solver_->forget_norm();
  recall(made);
  if (report_.transform.normal_operator.empty()) {
    report_.transform.normal_operator = larmor::describe(*normal);
    report_.transform.toeplitz = report_.transform.normal_operator.find("Toeplitz") != std::string::npos;
  }
  if (!solver_->needs_samples() && !keep_samples) {
    model.model.reset();
    model.transforms.clear();
    if (!problem.trajectory_again) shared.transforms.clear();
  }
  ctx_.arena().release();
  normal->reserve(ctx_);
  Operator<T> solved = normal;
  if (constrained) {
    report.phase_points = facts.phase_points;
    constraint_ = phase_constraint<T>(smooth_phase<T>(*normal, rhs, facts.phase_centre, ctx_));
    solved = adjoint(constraint_) * solved * constraint_;
    rhs = constraint_.adjoint(rhs, ctx_);
    if (!data.probe.empty()) data.probe = constraint_.adjoint(data.probe, ctx_);
    if (data.known) data.known->real = true;
    if (data.model) data.model = data.model * constraint_;
    solved.reserve(ctx_);
  }
  clock_.charge("setup");
  ctx_.reporter().progress("iterate", 0, 0, "");
  Array<C> x = solver_->solve(solved, std::move(rhs), data, scale_, report);
  if (constraint_) x = constraint_.apply(x, ctx_);
  x = seen(model, std::move(x));
  clock_.charge("iterate");
  if (!(scale_ > 0)) scale_ = report.scale;
  remember();
  return x;
}

template <typename T>
void Solution<T>::recall(bool operator_is_new) {
  Protocol* const protocol = preparation_.options.protocol.get();
  if (!protocol) return;
  if (operator_is_new) protocol->norm_squared = 0;
  solver_->adopt(protocol->norm_squared, protocol->expectation);
}

template <typename T>
void Solution<T>::remember() const {
  Protocol* const protocol = preparation_.options.protocol.get();
  if (!protocol) return;
  protocol->norm_squared = solver_->norm_squared();
  protocol->expectation = solver_->expectation();
  if (solver_->needs_scale()) protocol->scale = scale_;
}

template <typename T>
Array<std::complex<T>> Solution<T>::again(SeriesProblem<T>& model, Array<C> samples) {
  model.samples = moved_to(ctx_.device(), std::move(samples), preparation_.decisions.memory.placement());
  if (!solver_) return gridded(model);
  Array<C> rhs = model.model->adjoint(model.samples, ctx_);
  typename ProblemSolver<T>::Data data;
  if (solver_->needs_samples()) {
    data.model = model.model;
    data.y = std::move(model.samples);
  }
  ImageReport unused;
  return seen(model, solver_->solve(*preparation_.shared.normal, std::move(rhs), data, scale_, unused));
}

// In host memory, 0 where no coil is sensitive. Linear solutions are 0 there already, because they depend on
// Aᴴy. Others are determined there by their terms only.
template <typename T>
Array<std::complex<T>> Solution<T>::seen(const SeriesProblem<T>& model, Array<C> x) {
  x = moved_to(Device::cpu(), std::move(x));
  const auto& energy = model.map_energy;
  if (energy.empty()) return x;
  parallel_for(ctx_.host(), x.size(), 1 << 14, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i)
      if (energy[i % energy.size()] == 0) x[i] = 0;
  });
  return x;
}

template <typename T>
Array<std::complex<T>> Solution<T>::gridded(const SeriesProblem<T>& model) {
  return over_map_energy(moved_to(Device::cpu(), model.model->adjoint(model.samples, ctx_)), model);
}

template <typename T>
Array<std::complex<T>> Solution<T>::over_map_energy(Array<C> x, const SeriesProblem<T>& model) {
  const auto& energy = model.map_energy;
  for (Index i = 0; i < x.size() && !energy.empty(); ++i) {
    const double e = energy[i % energy.size()];
    x[i] = e > 0 ? x[i] * static_cast<T>(1 / e) : C(0);
  }
  return x;
}

// Takes the model's samples, which become the residual y − Ax. What gridding the residual again would add to
// the image is not an error of the model.
template <typename T>
void Solution<T>::compare_with_data(View<const C> x, SeriesProblem<T>& model, double noise_variance,
                                    ImageReport& report) {
  Array<C> samples = std::move(model.samples);
  const auto sum = [&](double value) { return model.ranks ? model.ranks->all_reduce(value) : value; };
  const auto energy = [&] { return sum(squared_norm<T>(samples, ctx_)); };
  const auto subtract = [&](View<const C> image) {
    Array<C> negative = copied_to(ctx_.device(), image);
    scale<T>(-1, negative.view(), ctx_);
    model.model->apply(negative, samples, ctx_, Write::accumulate);
  };
  const double data = energy();
  if (!(data > 0)) return;
  subtract(x);
  const double left = energy();
  report.unexplained = std::sqrt(left / data);
  if (noise_variance > 0) report.noise = std::sqrt(noise_variance * sum(model.weight) / data);
  if (!misfits(report.unexplained, report.noise, 0)) return;
  double unfitted = 0;
  if (report.unexplained <= 1) {
    const Array<C> gradient = model.model->adjoint(samples, ctx_);
    Array<C> step = over_map_energy(copied_to(Device::cpu(), gradient), model);
    step = moved_to(ctx_.device(), std::move(step));
    const double slope = dot<T>(step, gradient, ctx_).real();
    subtract(step);
    unfitted = still_fitted(slope, energy() - left + 2 * slope) / data;
  }
  if (misfits(report.unexplained, report.noise, unfitted))
    told_.misfit(report.unexplained, report.noise, " and the density weights", ctx_.reporter());
}

template class Solution<float>;
template class Solution<double>;

}  // namespace larmor
