#include <larmor/mri/reconstruct/solution.hpp>

#include <utility>

namespace LARMOR_API larmor {

template <typename T>
ProblemSolution<T>::ProblemSolution(const PlannedProblem& problem, Index number, SeriesProblem<T>& model,
                                    ProblemSolver<T>* solver, double scale, bool keep_samples,
                                    DataFacts facts, SharedParts<T>& shared, Context& ctx)
    : problem_(problem),
      model_(model),
      solver_(solver),
      scale_(scale),
      keep_samples_(keep_samples),
      facts_(std::move(facts)),
      shared_(shared),
      ctx_(ctx) {
  if (solver) solver->select(number);
}

template <typename T>
Array<std::complex<T>> ProblemSolution<T>::find(const MemoryDecision& memory, double noise_variance,
                                                ReconstructionReport& all, ImageReport& report,
                                                StageClock& clock) {
  if (!solver_) {
    ctx_.reporter().progress("iterate", 0, 0, "");
    Array<C> x = gridded();
    if (keep_samples_) samples_ = moved_to(Device::cpu(), std::move(model_.samples));
    clock.charge("iterate");
    return x;
  }
  ctx_.reporter().progress("setup", 0, 0, "");
  Array<C> rhs = model_.model->adjoint(model_.samples, ctx_);
  typename ProblemSolver<T>::Data data;
  if (solver_->needs_data())
    data = solver_->data_of(model_, noise_variance, facts_, problem_.basis != nullptr);
  if (facts_.power) data = solver_->knowledge_of(model_, noise_variance, facts_);
  if (keep_samples_) samples_ = copied_to(Device::cpu(), model_.samples);
  if (solver_->needs_samples()) {
    data.model = model_.model;
    data.y = std::move(model_.samples);
  }
  if (data.weighted)
    data.weighted->samples = data.y.empty() ? SharedArray<C>(std::move(model_.samples)) : data.y;
  model_.samples = {};
  ctx_.arena().release();
  const auto [normal, made] = normal_of<T>(*model_.model, problem_, memory, shared_, ctx_);
  if (made) solver_->forget_norm();
  if (all.normal_operator.empty()) {
    all.normal_operator = describe(*normal);
    all.toeplitz = all.normal_operator.find("Toeplitz") != std::string::npos;
  }
  if (!solver_->needs_samples() && !keep_samples_ && !data.weighted) {
    model_.model.reset();
    model_.transforms.clear();
    if (!problem_.trajectory_again) shared_.transforms.clear();
  }
  ctx_.arena().release();
  normal->reserve(ctx_);
  clock.charge("setup");
  ctx_.reporter().progress("iterate", 0, 0, "");
  Array<C> x = seen(solver_->solve(*normal, std::move(rhs), data, scale_, report));
  clock.charge("iterate");
  if (!(scale_ > 0)) scale_ = report.scale;
  return x;
}

template <typename T>
Array<std::complex<T>> ProblemSolution<T>::again(Array<C> samples, Placement placement) {
  model_.samples = moved_to(ctx_.device(), std::move(samples), placement);
  if (!solver_) return gridded();
  Array<C> rhs = model_.model->adjoint(model_.samples, ctx_);
  typename ProblemSolver<T>::Data data;
  if (solver_->needs_samples()) {
    data.model = model_.model;
    data.y = std::move(model_.samples);
  }
  ImageReport unused;
  return seen(solver_->solve(*shared_.normal, std::move(rhs), data, scale_, unused));
}

// In host memory, 0 where no coil sees the object. Linear solutions are: they are made of Aᴴy. Others go on
// there as their terms like it.
template <typename T>
Array<std::complex<T>> ProblemSolution<T>::seen(Array<C> x) {
  x = moved_to(Device::cpu(), std::move(x));
  const auto& energy = model_.map_energy;
  for (Index i = 0; i < x.size() && !energy.empty(); ++i)
    if (energy[i % energy.size()] == 0) x[i] = 0;
  return x;
}

template <typename T>
Array<std::complex<T>> ProblemSolution<T>::gridded() {
  Array<C> x = moved_to(Device::cpu(), model_.model->adjoint(model_.samples, ctx_));
  const auto& energy = model_.map_energy;
  for (Index i = 0; i < x.size() && !energy.empty(); ++i) {
    const double e = energy[i % energy.size()];
    x[i] = e > 0 ? x[i] * static_cast<T>(1 / e) : C(0);
  }
  return x;
}

template class ProblemSolution<float>;
template class ProblemSolution<double>;

}  // namespace larmor
