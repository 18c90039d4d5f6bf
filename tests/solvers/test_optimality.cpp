#include "small_problems.hpp"

#include <larmor/solvers/regularizers/constraints.hpp>
#include <larmor/solvers/regularizers/l1.hpp>
#include <larmor/solvers/regularizers/l2.hpp>
#include <larmor/solvers/regularizers/low_rank.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>
#include <larmor/solvers/regularizers/wavelet.hpp>
#include <larmor/solvers/solve.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace larmor::test {
namespace {

// One convex problem for each regulariser: every solver that supports it finds the same minimiser, and the
// GPU finds the CPU's.
template <typename Case>
class Optimality : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  using Terms = std::vector<Regularizer<Scalar>>;
  /// Makes the terms for solvers on a device.
  using TermsOf = std::function<Terms(const Device&)>;
  const Shape image{3, 8, 10};
  const ImageLayout layout{image, 2};

  struct Minimum {
    std::string solver;
    Array<std::complex<Scalar>> x;
    double objective;
  };

  std::vector<Minimum> minima(const TermsOf& terms, const Device& device, double tolerance) {
    Context ctx(device, {.threads = 1});  // for such short vectors, more threads only cost time
    const auto A = random_operator<Scalar>(image, 1, device);
    Problem<Scalar> problem{A.normal(ctx)};
    problem.model = A;
    problem.samples = moved_to(device, random_complex<Scalar>(A.codomain(), 2));
    problem.rhs = A.adjoint(problem.samples, ctx);
    problem.regularizers = terms(device);
    std::vector<Minimum> found;
    const SolvableTerms needed = terms_of(problem, ctx);
    for (const SolverRow& row : solver_table()) {
      if (row.takes < needed) continue;
      auto result = solve<Scalar>(problem, row.solver,
                                  {.iterations = 20000, .tolerance = tolerance, .objective = true}, ctx);
      EXPECT_EQ(result.stop_reason, StopReason::tolerance) << row.name << " on " << device.to_string();
      found.push_back({row.name, std::move(result.x), result.history.back().objective});
    }
    return found;
  }

  void expect_one_minimiser(const TermsOf& terms_of, double tolerance = 5e-7) {
    const Device host = Device::cpu(), device = this->device();
    std::vector<Minimum> found = minima(terms_of, host, tolerance);
    if (!(device == host))
      for (Minimum& there : minima(terms_of, device, tolerance)) found.push_back(std::move(there));
    const Minimum& first = found.front();
    for (const Minimum& other : found) {
      const std::string name =
          terms_of(host)[0].name + " by " + other.solver + " on " + other.x.device().to_string();
      EXPECT_NEAR(other.objective, first.objective, 1e-6 * std::abs(first.objective)) << name;
      EXPECT_LT(relative_difference(other.x, first.x), 1e-3) << name;
    }
  }
  // Terms that hold no data on a device.
  void expect_one_minimiser(const Terms& terms, double tolerance = 5e-7) {
    expect_one_minimiser([&](const Device&) { return terms; }, tolerance);
  }
};
TYPED_TEST_SUITE(Optimality, DoubleCases, CaseNames);

TYPED_TEST(Optimality, L1) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser({l1<T>(this->layout, {.lambda = 0.1})});
  this->expect_one_minimiser({l1<T>(this->layout, {.lambda = 0.1, .joint = true})});
}

TYPED_TEST(Optimality, Wavelet) {
  using T = typename TypeParam::T;
  for (const bool joint : {false, true})
    this->expect_one_minimiser({wavelet_l1<T>(
        this->layout,
        {.lambda = 0.05, .vanishing_moments = 2, .levels = 2, .shifts = false, .joint = joint})});
}

TYPED_TEST(Optimality, TotalVariation) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser({total_variation<T>(this->layout, {.lambda = 0.05})});
  this->expect_one_minimiser({total_variation<T>(this->layout, {.lambda = 0.05, .anisotropic = true})});
  this->expect_one_minimiser({total_variation<T>(this->layout, {.lambda = 0.05, .joint = true})});
}

TYPED_TEST(Optimality, TotalVariationInTime) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser({temporal_total_variation<T>(this->layout, 0.1)});
}

TYPED_TEST(Optimality, TotalGeneralisedVariation) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser({total_generalised_variation<T>(this->layout, {.lambda = 0.05})});
}

TYPED_TEST(Optimality, LocallyLowRank) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser(
      {locally_low_rank<T>(this->layout, {.lambda = 0.05, .block = 4, .shifts = false})});
  this->expect_one_minimiser(
      {locally_low_rank<T>(this->layout, {.lambda = 0.02, .block = 0, .shifts = false})});
}

TYPED_TEST(Optimality, LowRankPlusSparse) {
  using T = typename TypeParam::T;
  for (const auto transform : {SparseTransform::fourier, SparseTransform::differences, SparseTransform::none})
    this->expect_one_minimiser([&](const Device& device) {
      return std::vector{
          low_rank_sparse<T>(this->layout, {.lambda = 0.02, .sparse = 1, .transform = transform}, device)};
    });
}

TYPED_TEST(Optimality, Constraints) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser({real_valued<T>(this->layout)});
  this->expect_one_minimiser({positivity<T>(this->layout)});
}

TYPED_TEST(Optimality, SeveralTerms) {
  using T = typename TypeParam::T;
  this->expect_one_minimiser({total_variation<T>(this->layout, {.lambda = 0.03}), l2<T>(0.05),
                              temporal_total_variation<T>(this->layout, 0.05)});
}

}  // namespace
}  // namespace larmor::test
