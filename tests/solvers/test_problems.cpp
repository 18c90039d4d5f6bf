#include "error_of.hpp"
#include "small_problems.hpp"

#include <larmor/solvers/methods/admm.hpp>
#include <larmor/solvers/methods/circulant_preconditioner.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/methods/fista.hpp>
#include <larmor/solvers/methods/lsmr.hpp>
#include <larmor/solvers/methods/pdhg.hpp>
#include <larmor/solvers/regularizers/l1.hpp>
#include <larmor/solvers/regularizers/l2.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>
#include <larmor/solvers/solve.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Assembly of problems, and the choice of the solver.

namespace larmor::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

template <typename Case>
class Problems : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  const Shape image{4, 5};
  const ImageLayout layout{image, 2};

  Operator<Scalar> model() const { return random_operator<Scalar>(image, 1, this->device()); }
  Array<std::complex<Scalar>> samples() const { return this->random({40}, 2); }
  /// Terms that require a solver of this kind.
  std::vector<Regularizer<Scalar>> terms(SolvableTerms kind) const {
    switch (kind) {
      case SolvableTerms::quadratic:
        return {l2<Scalar>(0.1)};
      case SolvableTerms::one_unitary:
        return {l2<Scalar>(0.1), l1<Scalar>(layout, {.lambda = 0.05})};
      default:
        return {l2<Scalar>(0.1), total_variation<Scalar>(layout, {.lambda = 0.05})};
    }
  }
};
TYPED_TEST_SUITE(Problems, DeviceCases, CaseNames);

TYPED_TEST(Problems, KeepWhatTheyAreMadeOf) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const auto A = this->model();
  const auto y = this->samples(), rhs = A.adjoint(y, this->ctx()), start = this->random(this->image, 3);
  const auto normal = A.normal(this->ctx());
  const auto M = circulant_preconditioner<T>(normal, 2, {.lambda = 0.1}, this->ctx());
  for (const SolverRow& row : solver_table()) {
    // All objects are named, passed by reference, and exist until the end …
    Problem<T> named{normal, SharedArray<C>::borrowed(rhs), this->terms(row.takes)};
    named.model = A;
    named.samples = SharedArray<C>::borrowed(y);
    SolverOptions<T> named_options{.iterations = 5, .preconditioner = M};
    // … and all are temporaries that no longer exist when the solver runs.
    Problem<T> kept{this->model().normal(this->ctx()), this->model().adjoint(this->samples(), this->ctx()),
                    this->terms(row.takes)};
    kept.model = this->model();
    kept.samples = this->samples();
    SolverOptions<T> kept_options{
        .iterations = 5,
        .preconditioner = circulant_preconditioner<T>(kept.normal, 2, {.lambda = 0.1}, this->ctx())};
    if (!row.needs_samples) {
      named_options.start = SharedArray<C>::borrowed(start);
      kept_options.start = this->random(this->image, 3);
    }
    EXPECT_TRUE(same_bits(row.solve<T>(kept, kept_options, this->ctx()).x,
                          row.solve<T>(named, named_options, this->ctx()).x))
        << row.name;
  }
}

TYPED_TEST(Problems, AreSolvedAlikeInBothForms) {
  using T = typename TypeParam::T;
  using OfModel = SolverResult<T> (*)(const LinearOperator<T>&, View<const std::complex<T>>,
                                      const std::vector<Regularizer<T>>&, const SolverOptions<T>&, Context&);
  const std::vector<std::pair<Solver, OfModel>> functions = {{Solver::cg, conjugate_gradient<T>},
                                                             {Solver::lsmr, lsmr<T>},
                                                             {Solver::fista, fista<T>},
                                                             {Solver::admm, admm<T>},
                                                             {Solver::pdhg, pdhg<T>}};
  EXPECT_EQ(functions.size(), solver_table().size());
  const auto A = this->model();
  const auto in_host_memory = random_complex<T>({40}, 2);
  const SolverOptions<T> options{.iterations = 5};
  for (const auto& [solver, function] : functions) {
    const auto terms = this->terms(find_solver(solver).takes);
    Problem<T> problem{A.normal(this->ctx()), A.adjoint(this->samples(), this->ctx()), terms};
    problem.model = A;
    problem.samples = this->samples();
    const auto expected = solve(problem, solver, options, this->ctx()).x;
    EXPECT_TRUE(same_bits(function(A, this->samples(), terms, options, this->ctx()).x, expected));
    EXPECT_TRUE(same_bits(function(A, in_host_memory, terms, options, this->ctx()).x, expected));
    EXPECT_TRUE(same_bits(solve(A, this->samples(), terms, solver, options, this->ctx()).x, expected));
  }
}

TYPED_TEST(Problems, AreTakenByTheSolversWhoseRowSaysSo) {
  for (const SolvableTerms kind : {SolvableTerms::quadratic, SolvableTerms::one_unitary, SolvableTerms::any})
    for (const SolverRow& row : solver_table()) {
      const auto run = [&] {
        return solve(this->model(), this->samples(), this->terms(kind), row.solver, {.iterations = 2},
                     this->ctx());
      };
      if (row.takes >= kind) {
        EXPECT_EQ(run().history.size(), 2u) << row.name;
        continue;
      }
      EXPECT_THAT(error_of(run), StartsWith("2: " + std::string(row.name) + " cannot take the term"));
    }
}

#ifndef LARMOR_SEPARATE_SCRATCH
TYPED_TEST(Problems, TakeNoMemoryAfterTheFirstIteration) {
  const auto all = [] {
    return memory_use(Device::Kind::cpu).allocations + memory_use(Device::Kind::cuda).allocations;
  };
  using T = typename TypeParam::T;
  for (const SolverRow& row : solver_table()) {
    auto terms = this->terms(row.takes);
    if (row.takes == SolvableTerms::any)
      terms.push_back(total_generalised_variation<T>(this->layout, {.lambda = 0.05}));
    const auto allocations = [&](Index iterations, double distance) {
      const std::size_t before = all();
      solve(this->model(), this->samples(), terms, row.solver,
            {.iterations = iterations, .distance = distance, .objective = true}, this->ctx());
      return all() - before;
    };
    allocations(1, 0);
    // With a distance, iterates are compared with earlier ones.
    for (const double distance : {0.0, 1e-30})
      EXPECT_EQ(allocations(20, distance), allocations(1, distance)) << row.name;
  }
}
#endif

TYPED_TEST(Problems, OfShapesThatDoNotFitAreRefusedWithBoth) {
  using T = typename TypeParam::T;
  const auto A = this->model();
  for (const SolverRow& row : solver_table()) {
    EXPECT_EQ(error_of([&] { solve(A, this->random({39}, 1), {}, row.solver, {}, this->ctx()); }),
              "2: VStack: adjoint input has shape [39], expected [40]");
    const Problem<T> problem{A.normal(this->ctx()), this->random({5, 4}, 1)};
    EXPECT_EQ(error_of([&] { solve(problem, row.solver, {}, this->ctx()); }),
              "2: " + std::string(row.name) +
                  ": the right-hand side has shape [5, 4], the normal operator Sum takes [4, 5]");
    EXPECT_THAT(error_of([&] { solve(Problem<T>{}, row.solver, {}, this->ctx()); }),
                HasSubstr("no normal operator"));
    if (row.needs_samples) {
      const Problem<T> without{A.normal(this->ctx()), this->random(this->image, 1)};
      EXPECT_THROW(solve(without, row.solver, {}, this->ctx()), Error);
    }
  }
}

TEST(SolverTable, NamesAreReadBack) {
  EXPECT_EQ(parse_solver("auto"), Solver::automatic);
  EXPECT_STREQ(to_string(Solver::automatic), "auto");
  for (const SolverRow& row : solver_table()) {
    EXPECT_EQ(parse_solver(row.name), row.solver);
    EXPECT_STREQ(to_string(row.solver), row.name);
  }
  EXPECT_EQ(error_of([] { parse_solver("newton"); }),
            "2: unknown solver 'newton'; expected one of auto, cg, lsmr, fista, admm, pdhg");
  EXPECT_THROW(find_solver(Solver::automatic), Error);
}

}  // namespace
}  // namespace larmor::test
