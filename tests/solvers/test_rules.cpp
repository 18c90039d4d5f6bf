#include "error_of.hpp"
#include "small_problems.hpp"

#include <larmor/operators/stacks.hpp>
#include <larmor/solvers/methods/admm.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/methods/fista.hpp>
#include <larmor/solvers/methods/lsmr.hpp>
#include <larmor/solvers/methods/pdhg.hpp>
#include <larmor/solvers/registry.hpp>
#include <larmor/solvers/regularizers/l2.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Requirements on every solver of a Problem.

namespace larmor::test {
namespace {

using D = std::complex<double>;

template <typename T>
struct SolverCase {
  const char* name;
  SolverResult<T> (*solve)(const Problem<T>&, const SolverOptions<T>&, Context&);
  std::vector<Regularizer<T>> terms;
  double tolerance;  // a value that it reaches within 2000 iterations
};

template <typename T>
std::vector<SolverCase<T>> solver_cases(const Shape& image) {
  const Regularizer<T> l2{.name = "l2", .lambda = 0.05, .quadratic = true};
  const double tight = sizeof(T) == 4 ? 2e-5 : 1e-9;
  const auto sparse = plain_l1<T>(0.1), edges = plain_l1<T>(0.05, differences(image.size()), image);
  return {{"cg", conjugate_gradient<T>, {l2}, tight},    {"lsmr", lsmr<T>, {l2}, tight},
          {"fista", fista<T>, {sparse}, tight},          {"admm", admm<T>, {edges}, tight},
          {"admm", admm<T>, {sparse, l2, edges}, tight}, {"pdhg", pdhg<T>, {edges}, tight},
          {"pdhg", pdhg<T>, {sparse, edges, l2}, tight}};
}

template <typename Case>
class SolverRules : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  const Shape image{4, 5};

  DenseProblem<Scalar> problem(double data_factor = 1) {
    return {random_operator<Scalar>(image, 1, this->device()), data_factor * random_vector(40, 2),
            this->ctx()};
  }
  std::vector<SolverCase<Scalar>> solvers() const { return solver_cases<Scalar>(image); }
};
TYPED_TEST_SUITE(SolverRules, DeviceCases, CaseNames);

TYPED_TEST(SolverRules, ReachTheDenseMinimum) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  const auto towards = [&](double lambda, unsigned seed) {
    return l2<T>(lambda, std::make_shared<const Array<std::complex<T>>>(this->random(this->image, seed)));
  };
  const auto sparse = plain_l1<T>(0.05), edges = plain_l1<T>(0.1, differences(20), this->image);
  Regularizer<T> spectrum = sparse;
  spectrum.transform = Fft<T>(this->image, 2);
  const std::vector<std::vector<Regularizer<T>>> mixtures = {{},
                                                             {l2<T>(1e-3)},
                                                             {l2<T>(0.1)},
                                                             {towards(0.1, 5), towards(0.3, 6)},
                                                             {sparse},
                                                             {spectrum},
                                                             {l2<T>(0.1), towards(0.3, 7), sparse},
                                                             {edges},
                                                             {sparse, edges}};
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-9;
  for (std::size_t mixture = 0; mixture < mixtures.size(); ++mixture) {
    p.problem.regularizers = mixtures[mixture];
    // The scaled problem by definition, and its objective in the units of the data.
    Matrix H = p.scaled_hessian();
    Vector b = p.scaled_gradient();
    double priors = 0;
    std::vector<std::pair<double, Matrix>> others;
    for (const auto& term : p.problem.regularizers) {
      if (!term.quadratic) {
        others.emplace_back(term.lambda, term.transform ? dense_matrix<T>(term.transform, this->ctx())
                                                        : Matrix(Matrix::Identity(20, 20)));
        continue;
      }
      H += term.lambda * Matrix::Identity(20, 20);
      const Vector x0 = term.prior ? Vector(to_vector(*term.prior) / p.to_image()) : Vector::Zero(20);
      b += term.lambda * x0;
      priors += 0.5 * term.lambda * x0.squaredNorm();
    }
    const Vector expected = l1_minimiser(H, b, others);
    const double objective = 0.5 * p.data.squaredNorm() + p.scale * p.scale / p.norm_squared *
                                                              (l1_objective(H, b, others, expected) + priors);
    for (const SolverRow& row : solver_table()) {
      if (row.takes < terms_of(p.problem, this->ctx())) continue;
      const auto result = row.solve<T>(
          p.problem, {.iterations = 5000, .tolerance = tolerance, .objective = true}, this->ctx());
      EXPECT_EQ(result.stop_reason, StopReason::tolerance) << row.name << ' ' << mixture;
      EXPECT_EQ(result.x.device(), this->device());
      EXPECT_LT((to_vector(result.x) / p.to_image() - expected).norm(), 100 * tolerance * expected.norm())
          << row.name << ' ' << mixture;
      EXPECT_NEAR(result.history.back().objective, objective, 10 * tolerance * std::abs(objective))
          << row.name << ' ' << mixture;
    }
  }
}

TYPED_TEST(SolverRules, HistoryHoldsTheTrueGradient) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  const auto prior = std::make_shared<const Array<std::complex<T>>>(this->random(this->image, 5));
  p.problem.regularizers = {l2<T>(0.01, prior)};
  const double shift = 0.01 * p.norm_squared;
  const Matrix M = p.hessian + shift * Matrix::Identity(20, 20);
  const Vector rhs = p.gradient + shift * to_vector(*prior);
  const double accuracy = sizeof(T) == 4 ? 1e-5 : 1e-9;
  for (const Solver solver : {Solver::cg, Solver::lsmr}) {
    const auto result =
        find_solver(solver).solve<T>(p.problem, {.iterations = 7, .objective = true}, this->ctx());
    EXPECT_EQ(result.stop_reason, StopReason::iterations);
    EXPECT_NEAR(result.history.back().gradient, (M * to_vector(result.x) - rhs).norm() / rhs.norm(),
                accuracy);
    // By theory, conjugate gradients lower the objective in each iteration, and LSMR the gradient.
    for (std::size_t i = 1; i < result.history.size(); ++i) {
      const SolverStep &step = result.history[i], &before = result.history[i - 1];
      EXPECT_TRUE(solver == Solver::cg ? step.objective < before.objective
                                       : step.gradient <= before.gradient);
    }
  }
}

TYPED_TEST(SolverRules, StopAtTheToleranceAndNotBefore) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  for (const auto& solver : this->solvers()) {
    p.problem.regularizers = solver.terms;
    const double tolerance = 1e-3;
    const auto result = solver.solve(p.problem, {.iterations = 2000, .tolerance = tolerance}, this->ctx());
    EXPECT_EQ(result.stop_reason, StopReason::tolerance) << solver.name;
    ASSERT_GE(result.history.size(), 2u) << solver.name;
    for (std::size_t i = 0; i < result.history.size(); ++i) {
      const SolverStep& step = result.history[i];
      EXPECT_EQ(step.iteration, static_cast<Index>(i) + 1) << solver.name;
      const bool met = step.gradient <= tolerance && step.constraint <= tolerance;
      EXPECT_EQ(met, i + 1 == result.history.size()) << solver.name << " " << i;
    }
    const auto fixed = solver.solve(p.problem, {.iterations = 3}, this->ctx());
    EXPECT_EQ(fixed.stop_reason, StopReason::iterations) << solver.name;
    EXPECT_EQ(fixed.history.size(), 3u) << solver.name;
    const auto none = solver.solve(p.problem, {.iterations = 0}, this->ctx());
    EXPECT_EQ(none.history.size(), 0u);
    EXPECT_EQ(max_magnitude<T>(none.x, this->ctx()), 0) << solver.name;
  }
}

TYPED_TEST(SolverRules, LambdaDoesNotDependOnUnitsOrRepeatedSamples) {
  using T = typename TypeParam::T;
  const double accuracy = sizeof(T) == 4 ? 1e-4 : 1e-7;
  for (const auto& solver : this->solvers()) {
    const SolverOptions<T> options{.iterations = 2000, .tolerance = solver.tolerance};
    auto p = this->problem();
    p.problem.regularizers = solver.terms;
    const Vector x = to_vector(solver.solve(p.problem, options, this->ctx()).x);
    auto louder = this->problem(1000);
    louder.problem.regularizers = solver.terms;
    const Vector x1000 = to_vector(solver.solve(louder.problem, options, this->ctx()).x);
    EXPECT_LT((x1000 / 1000 - x).norm(), accuracy * x.norm()) << solver.name;
    const auto A = random_operator<T>(this->image, 1, this->device());
    Vector data(80);
    data << p.data, p.data;
    DenseProblem<T> repeated(VStack<T>({A, A}), data, this->ctx());
    repeated.problem.regularizers = solver.terms;
    const Vector x2 = to_vector(solver.solve(repeated.problem, options, this->ctx()).x);
    EXPECT_LT((x2 - x).norm(), accuracy * x.norm()) << solver.name;
  }
}

TYPED_TEST(SolverRules, AScaleThatFramesShareIsTaken) {
  using T = typename TypeParam::T;
  auto p = this->problem(), half = this->problem(0.5);
  for (const auto& solver : this->solvers()) {
    // The λ of a frame of half the brightness acts as twice the λ would for that frame alone.
    if (solver.terms[0].quadratic) continue;
    const SolverOptions<T> options{.iterations = 2000, .tolerance = solver.tolerance};
    half.problem.regularizers = p.problem.regularizers = solver.terms;
    half.problem.scale = p.scale;
    const auto shared = solver.solve(half.problem, options, this->ctx());
    EXPECT_DOUBLE_EQ(shared.scale, p.scale);
    for (auto& term : p.problem.regularizers)
      if (!term.quadratic) term.lambda *= 2;
    const Vector expected = 0.5 * to_vector(solver.solve(p.problem, options, this->ctx()).x);
    EXPECT_LT((to_vector(shared.x) - expected).norm(), 1e-4 * expected.norm()) << solver.name;
  }
}

TYPED_TEST(SolverRules, TheNormIsFoundWhereItIsNotGiven) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  for (const auto& solver : this->solvers()) {
    p.problem.regularizers = solver.terms;
    p.problem.norm_squared = p.norm_squared;
    const SolverOptions<T> options{.iterations = 2000, .tolerance = solver.tolerance};
    const Vector given = to_vector(solver.solve(p.problem, options, this->ctx()).x);
    p.problem.norm_squared = 0;
    const auto result = solver.solve(p.problem, options, this->ctx());
    EXPECT_NEAR(result.operator_norm_squared, p.norm_squared, 2e-2 * p.norm_squared) << solver.name;
    EXPECT_LE(result.operator_norm_squared, p.norm_squared * (1 + 1e-5)) << solver.name;
    EXPECT_LT((to_vector(result.x) - given).norm(), 1e-2 * given.norm()) << solver.name;
  }
}

TYPED_TEST(SolverRules, ResumeWithTheSameBits) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  p.problem.norm_squared = 0;  // the checkpoint contains it
  for (const auto& solver : this->solvers()) {
    p.problem.regularizers = solver.terms;
    std::vector<Checkpoint<T>> taken;
    SolverOptions<T> options{.iterations = 23};
    options.hooks.checkpoint_every = 7;
    options.hooks.checkpoint = [&](Checkpoint<T> checkpoint) { taken.push_back(std::move(checkpoint)); };
    const auto whole = solver.solve(p.problem, options, this->ctx());
    ASSERT_EQ(taken.size(), 3u) << solver.name;
    for (const auto& checkpoint : taken) {
      SolverOptions<T> rest{.iterations = 23};
      rest.hooks.resume = &checkpoint;
      Context other = this->context({.threads = 1});
      const auto result = solver.solve(p.problem, rest, other);
      EXPECT_TRUE(same_bits(result.x, whole.x)) << solver.name << " from " << checkpoint.iteration;
      ASSERT_EQ(result.history.size(), static_cast<std::size_t>(23 - checkpoint.iteration)) << solver.name;
      EXPECT_EQ(result.history.front().iteration, checkpoint.iteration + 1);
      EXPECT_EQ(result.history.back().gradient, whole.history.back().gradient) << solver.name;
    }
  }
}

TYPED_TEST(SolverRules, RefuseAForeignCheckpoint) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  for (const auto& solver : this->solvers()) {
    p.problem.regularizers = solver.terms;
    Checkpoint<T> taken;
    SolverOptions<T> options{.iterations = 2};
    options.hooks.checkpoint_every = 1;
    options.hooks.checkpoint = [&](Checkpoint<T> checkpoint) { taken = std::move(checkpoint); };
    solver.solve(p.problem, options, this->ctx());
    const auto refused = [&](const Checkpoint<T>& checkpoint) {
      SolverOptions<T> rest{.iterations = 5};
      rest.hooks.resume = &checkpoint;
      EXPECT_THAT(error_of([&] { solver.solve(p.problem, rest, this->ctx()); }), testing::StartsWith("3: "));
    };
    const std::string solver_name = std::exchange(taken.solver, "another");
    refused(taken);
    taken.solver = solver_name;
    auto scalars = std::exchange(taken.scalars, {});
    refused(taken);
    taken.scalars = scalars;
    auto first = std::exchange(taken.vectors[0], Array<std::complex<T>>(Shape{3}));
    refused(taken);
    taken.vectors.pop_back();
    refused(taken);
  }
}

TYPED_TEST(SolverRules, StartWhereTheyAreTold) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  for (const auto& solver : this->solvers()) {
    p.problem.regularizers = solver.terms;
    const SolverOptions<T> options{.iterations = 2000, .tolerance = solver.tolerance};
    const auto cold = solver.solve(p.problem, options, this->ctx());
    SolverOptions<T> warm = options;
    warm.start = SharedArray<std::complex<T>>::borrowed(cold.x);
    warm.tolerance = 100 * solver.tolerance;
    if (solver.name == std::string("lsmr")) {
      EXPECT_THROW(solver.solve(p.problem, warm, this->ctx()), Error);
      continue;
    }
    const auto result = solver.solve(p.problem, warm, this->ctx());
    EXPECT_LT(relative_difference(result.x, cold.x), 1e4 * solver.tolerance) << solver.name;
    EXPECT_LT(result.history.size(), cold.history.size()) << solver.name;
    warm.start = this->random({3, 3}, 1);
    EXPECT_THROW(solver.solve(p.problem, warm, this->ctx()), Error) << solver.name;
  }
}

TYPED_TEST(SolverRules, RefuseNanAndWrongLambda) {
  using T = typename TypeParam::T;
  auto p = this->problem();
  for (const auto& solver : this->solvers()) {
    p.problem.regularizers = solver.terms;
    auto bad = fetched(p.rhs), bad_samples = to_array<T>(p.data, {40}, Device::cpu());
    bad[3] = bad_samples[5] = std::numeric_limits<T>::quiet_NaN();
    auto broken = p.problem;
    broken.rhs = this->there(std::move(bad));
    broken.samples = this->there(std::move(bad_samples));
    EXPECT_THAT(error_of([&] { solver.solve(broken, {}, this->ctx()); }), testing::StartsWith("3: "))
        << solver.name;
    for (const double lambda : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
      auto wrong = p.problem;
      wrong.regularizers[0].lambda = lambda;
      EXPECT_THAT(error_of([&] { solver.solve(wrong, {}, this->ctx()); }),
                  testing::AllOf(testing::StartsWith("2: "), testing::HasSubstr(solver.terms[0].name)))
          << solver.name;
    }
    EXPECT_THROW(solver.solve(p.problem, {.iterations = -1}, this->ctx()), Error) << solver.name;
  }
}

TYPED_TEST(SolverRules, ZeroDataGiveAZeroImage) {
  using T = typename TypeParam::T;
  auto p = this->problem(0);
  for (const auto& solver : this->solvers()) {
    p.problem.regularizers = solver.terms;
    const auto result = solver.solve(p.problem, {}, this->ctx());
    EXPECT_EQ(result.stop_reason, StopReason::zero_data) << solver.name;
    EXPECT_EQ(max_magnitude<T>(result.x, this->ctx()), 0) << solver.name;
  }
}

TYPED_TEST(SolverRules, StopWhenTheUserAsksAndLoseNoMemory) {
  struct Impatient final : Reporter {
    std::atomic<bool> cancel{false};
    std::string stage;
    void progress(const std::string& name, Index done, Index, const std::string&) override {
      stage = name;
      if (done == 3) cancel = true;
    }
  };
  auto p = this->problem();
  for (const auto& solver : this->solvers()) {
    p.problem.regularizers = solver.terms;
    const auto reporter = std::make_shared<Impatient>();
    const std::size_t before = this->memory().current_bytes;
    {
      Context ctx = this->context({.reporter = reporter, .cancel = &reporter->cancel});
      EXPECT_THAT(error_of([&] { solver.solve(p.problem, {.iterations = 20}, ctx); }),
                  testing::StartsWith("130: "))
          << solver.name;
      EXPECT_EQ(reporter->stage, solver.name);
      EXPECT_EQ(ctx.arena().in_use(), 0u);
    }
    EXPECT_EQ(this->memory().current_bytes, before) << solver.name;
  }
}

}  // namespace
}  // namespace larmor::test
