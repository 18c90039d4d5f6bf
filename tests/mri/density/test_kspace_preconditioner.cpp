#include "solvers/small_problems.hpp"

#include <larmor/mri/density/kspace_preconditioner.hpp>
#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/methods/pdhg.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/regularizers/l1.hpp>
#include <larmor/solvers/regularizers/l2.hpp>
#include <larmor/solvers/regularizers/total_variation.hpp>
#include <larmor/solvers/solve.hpp>

namespace larmor::test {
namespace {

template <typename Case>
class KspacePreconditioner : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  using C = std::complex<Scalar>;

  /// Smooth maps of different strength.
  static Array<C> maps(Index coils, Index n) {
    Array<C> map({coils, n, n});
    for (Index c = 0; c < coils; ++c)
      for (Index p = 0; p < n * n; ++p) {
        const double x = static_cast<double>(p % n) / static_cast<double>(n) - 0.5,
                     y = static_cast<double>(p / n) / static_cast<double>(n) - 0.5;
        const double angle = 2.1 * static_cast<double>(c);
        map[c * n * n + p] =
            C(std::polar(std::exp(x * std::cos(angle) + 1.5 * y * std::sin(angle)), angle + x));
      }
    return map;
  }
  /// Spokes, crowded at the centre.
  static Array<double> radial(Index spokes, Index samples) {
    Array<double> k({spokes * samples, 2});
    for (Index s = 0; s < spokes; ++s)
      for (Index r = 0; r < samples; ++r) {
        const double angle = std::numbers::pi * static_cast<double>(s) / static_cast<double>(spokes);
        const double radius = (static_cast<double>(r) + 0.5) / static_cast<double>(samples) - 0.5;
        k[2 * (s * samples + r)] = radius * std::cos(angle);
        k[2 * (s * samples + r) + 1] = radius * std::sin(angle);
      }
    return k;
  }

  struct Setting {
    Array<C> maps, y, rhs;
    Operator<Scalar> A, normal;
    Problem<Scalar> problem;
  };
  /// Problem of 16 × 16 pixels.
  std::unique_ptr<Setting> setting(Index coils = 3, Index spokes = 12, Index samples = 32) {
    constexpr Index n = 16;
    auto made = std::make_unique<Setting>();
    made->maps = this->there(maps(coils, n));
    const auto k = this->there(radial(spokes, samples));
    made->A = sense_model<Scalar>(k, made->maps.view(), {.tolerance = 1e-9}, this->ctx()).share();
    made->normal = made->A.normal(this->ctx());
    auto object = filled<C>({n, n}, 0);
    for (Index i = 0; i < object.size(); ++i)
      if (i % n > 3 && i % n < 12 && i / n > 2 && i / n < 13) object[i] = C(Scalar(1 + i % 3), Scalar(0.3));
    made->y = made->A.apply(this->there(std::move(object)), this->ctx());
    axpy<Scalar>(0.1, this->random(made->A.codomain(), 3), made->y.view(), this->ctx());
    made->rhs = made->A.adjoint(made->y, this->ctx());
    made->problem.normal = made->normal;
    made->problem.rhs = SharedArray<C>::borrowed(made->rhs);
    made->problem.model = made->A;
    made->problem.samples = SharedArray<C>::borrowed(made->y);
    made->problem.norm_squared = largest_eigenvalue(made->normal, this->ctx());
    return made;
  }
  std::shared_ptr<const Array<C>> preconditioner(const Setting& setting, double lambda, Index spokes = 12,
                                                 Index samples = 32) {
    return std::make_shared<const Array<C>>(kspace_preconditioner<Scalar>(
        this->there(radial(spokes, samples)), setting.maps.view(),
        {.lambda = lambda, .norm_squared = setting.problem.norm_squared, .nufft_tolerance = 1e-6},
        this->ctx()));
  }
};
TYPED_TEST_SUITE(KspacePreconditioner, DoubleCases, CaseNames);

TYPED_TEST(KspacePreconditioner, IsTheNearestDiagonalInverse) {
  using T = typename TypeParam::T;
  const auto maps = this->there(this->maps(2, 6));
  const auto k = this->there(this->radial(3, 7));
  const auto A = sense_model<T>(k, maps.view(), {.tolerance = 1e-11}, this->ctx());
  const Matrix matrix = dense_matrix<T>(A, this->ctx());
  for (const double lambda : {0.0, 0.1}) {
    const Matrix normal = matrix.adjoint() * matrix;
    const double norm = largest_eigenvalue_of(normal);
    const Matrix G =
        matrix * matrix.adjoint() + lambda * norm * Matrix::Identity(matrix.rows(), matrix.rows());
    const auto found = fetched(kspace_preconditioner<T>(
        k, maps.view(), {.lambda = lambda, .norm_squared = norm, .nufft_tolerance = 1e-11}, this->ctx()));
    ASSERT_EQ(found.shape(), (Shape{2, 21}));
    for (Index i = 0; i < found.size(); ++i) {
      const double expected = G(i, i).real() / G.row(i).squaredNorm();
      EXPECT_NEAR(found[i].real(), expected, 1e-8 * expected) << i;
      EXPECT_EQ(found[i].imag(), 0);
    }
  }
}

TYPED_TEST(KspacePreconditioner, ConjugateGradientsReachTheSameMinimum) {
  using T = typename TypeParam::T;
  // Fewer samples than pixels, where inverting AAᴴ pays.
  const auto setting = this->setting(1, 8, 16);
  Problem<T> problem = setting->problem;
  const double lambda = 1e-3;
  for (const bool prior : {false, true}) {
    problem.regularizers = {l2<T>(lambda)};
    if (prior)
      problem.regularizers[0].prior =
          std::make_shared<const Array<std::complex<T>>>(this->random(problem.normal.domain(), 8));
    SolverOptions<T> options{.iterations = 500, .tolerance = 1e-6};
    const auto plain = conjugate_gradient(problem, options, this->ctx());
    options.sample_preconditioner = this->preconditioner(*setting, lambda, 8, 16);
    const auto found = conjugate_gradient(problem, options, this->ctx());
    EXPECT_EQ(found.stop_reason, StopReason::tolerance);
    EXPECT_LT(relative_difference(found.x, plain.x), 1e-3);
    EXPECT_NEAR(found.history.back().objective, plain.history.back().objective,
                1e-6 * std::abs(plain.history.back().objective));
  }
}

TYPED_TEST(KspacePreconditioner, PrimalDualReachesTheSameMinimum) {
  using T = typename TypeParam::T;
  const auto setting = this->setting();
  Problem<T> problem = setting->problem;
  const ImageLayout layout{problem.normal.domain(), 2};
  const auto sparse = l1<T>(layout, {.lambda = 3e-3}), quadratic = l2<T>(1e-2);
  const auto edges = total_variation<T>(layout, {.lambda = 1e-3});
  // Terms in the primal step, where the preconditioner saves iterations, and in the dual one.
  struct TermsCase {
    std::vector<Regularizer<T>> terms;
    bool faster;
  };
  const std::vector<TermsCase> cases = {{{quadratic}, true},
                                        {{sparse, quadratic}, true},
                                        {{edges, quadratic}, false},
                                        {{edges, sparse, quadratic}, false}};
  for (const auto& [terms, faster] : cases) {
    problem.regularizers = terms;
    const std::string name = terms.front().name;
    SolverOptions<T> options{.iterations = 5000, .tolerance = 1e-5, .objective = true};
    const auto plain = pdhg(problem, options, this->ctx());
    options.sample_preconditioner = this->preconditioner(*setting, 0);
    const auto found = pdhg(problem, options, this->ctx());
    EXPECT_EQ(found.stop_reason, StopReason::tolerance) << name;
    EXPECT_NEAR(found.history.back().objective, plain.history.back().objective,
                1e-6 * std::abs(plain.history.back().objective))
        << name;
    EXPECT_LT(relative_difference(found.x, plain.x), 1e-3) << name;
    if (faster) {
      EXPECT_LT(2 * found.history.size(), plain.history.size()) << name;
    }
  }
}

TYPED_TEST(KspacePreconditioner, ResumesWithTheSameBits) {
  using T = typename TypeParam::T;
  const auto setting = this->setting();
  Problem<T> problem = setting->problem;
  const ImageLayout layout{problem.normal.domain(), 2};
  problem.regularizers = {l2<T>(1e-2)};
  for (const bool dual : {false, true}) {
    if (dual) problem.regularizers.push_back(total_generalised_variation<T>(layout, {.lambda = 1e-3}));
    const Solver solver = dual ? Solver::pdhg : Solver::cg;
    SolverOptions<T> options{.iterations = 9};
    options.sample_preconditioner = this->preconditioner(*setting, 1e-2);
    Checkpoint<T> taken;
    options.hooks.checkpoint_every = 5;
    options.hooks.checkpoint = [&](Checkpoint<T> checkpoint) { taken = std::move(checkpoint); };
    const auto whole = solve(problem, solver, options, this->ctx());
    options.hooks = {};
    options.hooks.resume = &taken;
    const auto rest = solve(problem, solver, options, this->ctx());
    EXPECT_EQ(rest.history.size(), 4u);
    EXPECT_TRUE(same_bits(rest.x, whole.x)) << dual;
  }
}

TYPED_TEST(KspacePreconditioner, RefusesWhatItCannotDo) {
  using T = typename TypeParam::T;
  const auto setting = this->setting();
  Problem<T> problem = setting->problem;
  SolverOptions<T> options;
  options.sample_preconditioner = this->preconditioner(*setting, 0);
  EXPECT_THROW(conjugate_gradient(problem, options, this->ctx()), Error) << "no l2 term";
  options.start = this->random(problem.normal.domain(), 1);
  EXPECT_THROW(pdhg(problem, options, this->ctx()), Error);
  options.start = {};
  problem.model = {};
  EXPECT_THROW(pdhg(problem, options, this->ctx()), Error);
  problem.model = setting->A;
  options.sample_preconditioner = std::make_shared<const Array<std::complex<T>>>(this->random({3, 5}, 1));
  EXPECT_THROW(pdhg(problem, options, this->ctx()), Error);
  const auto k = this->there(this->radial(3, 6));
  const auto zero = this->there(filled({2, 6, 6}, std::complex<T>(0)));
  EXPECT_THROW(kspace_preconditioner<T>(k, zero.view(), {}, this->ctx()), Error);
  EXPECT_THROW(kspace_preconditioner<T>(k, zero.view(), {.lambda = 1}, this->ctx()), Error);
}

}  // namespace
}  // namespace larmor::test
