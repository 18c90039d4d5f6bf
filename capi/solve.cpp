#include <larmor/capi/handles.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/solvers/regularizers/registry.hpp>
#include <larmor/solvers/solve.hpp>

using namespace larmor;
using capi::guarded;
using capi::require;

namespace {

template <typename T>
void solve_in(const Operator<T>& A, const void* y, void* x, const larmor_solve_options& options,
              Context& ctx) {
  using C = std::complex<T>;
  RegularizerSetting<T> setting;
  setting.image = {A.domain(), options.space == 0 ? std::min(A.domain().rank(), 3) : options.space};
  setting.device = ctx.device();
  std::vector<Regularizer<T>> terms;
  if (options.regularizer_count < 0)
    throw usage_error("there are {} regularizers", options.regularizer_count);
  for (int64_t i = 0; i < options.regularizer_count; ++i) {
    require(options.regularizers, "regularizers");
    require(options.regularizers[i], "a regularizer");
    const RegularizerSpec spec = parse_regularizer(options.regularizers[i]);
    if (spec.automatic)
      throw usage_error("regularizer {}: give its weight as a number; larmor_reconstruct() finds one",
                        spec.name);
    terms.push_back(make_regularizer<T>(spec, setting));
  }
  SolverOptions<T> solver;
  solver.iterations = options.iterations == 0 ? 30 : options.iterations;
  solver.tolerance = options.tolerance;
  solver.objective = options.objective != 0;
  if (options.start != nullptr)
    solver.start = SharedArray<C>::borrowed(
        View<const C>(static_cast<const C*>(options.start), A.domain(), ctx.device()));
  if (options.step != nullptr)
    solver.hooks.step = [&](const SolverStep& step, View<const C> iterate) {
      const larmor_step told{sizeof(larmor_step), step.iteration, step.gradient, step.objective};
      ctx.synchronize();
      if (options.step(options.user, &told, iterate.data()) != 0)
        throw Error(ErrorClass::cancelled, "the step function asked to stop");
      return false;
    };
  const View<const C> samples(static_cast<const C*>(y), A.codomain(), ctx.device());
  Equations<T> equations;
  if (options.weights != nullptr) {
    if (options.weight_count < 0) throw usage_error("there are {} weights", options.weight_count);
    equations = weighted(A, samples, {options.weights, {options.weight_count}}, ctx);
  }
  const bool plain = options.weights == nullptr;
  const Array<C> found =
      solve<T>(plain ? A : equations.A, plain ? samples : equations.y.view(), terms,
               parse_solver(options.solver == nullptr ? "auto" : options.solver), solver, ctx)
          .x;
  copy_bytes(x, ctx.device(), found.data(), found.device(), found.view().bytes());
}

}  // namespace

larmor_status larmor_solve(const larmor_operator* op, const void* y, void* x,
                           const larmor_solve_options* options) {
  return guarded([&] {
    require(op, "op");
    require(y, "y");
    require(x, "x");
    const larmor_solve_options given = capi::options_of(options);
    op->machine->run(
        [&](Context& ctx) { std::visit([&](const auto& A) { solve_in(A, y, x, given, ctx); }, op->op); });
  });
}
