#include <larmor/mri/reconstruct/common_solver.hpp>

#include <algorithm>

namespace larmor {

template <typename T>
bool CommonSolver<T>::agree(ProblemList& own, const std::function<void(std::size_t)>& solve) {
  for (const PlannedProblem& problem : own.problems) fit(problem);
  if (!solver_) return false;
  bool finds_lambda = true;
  if ((solver_->needs_scale() || solver_->needs_data()) && own.size() > 1) {
    const auto [scale, brightest, here] = preparation_.common_scale(own.order);
    if (solver_->needs_scale()) scale_ = scale;
    const auto place = std::find(own.order.begin(), own.order.end(), brightest);
    if (solver_->needs_data() && place != own.order.end()) {  // a rank may have none
      std::rotate(own.order.begin(), place, place + 1);
      note_trajectories(own);
    }
    finds_lambda = here;
  }
  const Division& division = preparation_.division;
  if (division.kind != Divided::problems || !solver_->needs_data()) return false;
  if (finds_lambda) solve(own.order.front());
  const double lambda = division.ranks->all_reduce(solver_->lambda_found(), Reduction::maximum);
  const double alternative =
      division.ranks->all_reduce(solver_->takes_alternative() ? 1.0 : 0.0, Reduction::maximum);
  if (lambda > 0) solver_->adopt_lambda(lambda, alternative > 0);
  return finds_lambda;
}

template <typename T>
void CommonSolver<T>::fit(const PlannedProblem& problem) {
  const ReconstructOptions& options = preparation_.options;
  const ScanPlan& plan = preparation_.selection.plan;
  const Shape unknown = own_frames(problem, preparation_.division).unknown;
  if (options.solve.gridding || (solver_ && solver_->shape() == unknown)) return;
  solver_.emplace(options.solve, preparation_.memory.nufft_tolerance, ImageLayout{unknown, plan.dims},
                  plan.grids, preparation_.list.size(), ctx_);
}

template <typename T>
void CommonSolver<T>::describe(ReconstructionReport& report) const {
  report.solver = solver_ ? to_string(solver_->solver()) : "gridding";
  if (!solver_) return;
  report.regularizers = solver_->terms();
  report.lambda_choice = solver_->lambda_choice();
  report.transfer = solver_->transfer();
  report.expectation = solver_->expectation();
}

template class CommonSolver<float>;
template class CommonSolver<double>;

}  // namespace larmor
