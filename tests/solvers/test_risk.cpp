#include "device_cases.hpp"
#include "small_problems.hpp"

#include <larmor/operators/reshaped.hpp>
#include <larmor/operators/stacks.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/regularizers/l2.hpp>
#include <larmor/solvers/risk/krylov_space.hpp>
#include <larmor/solvers/risk/tikhonov_choice.hpp>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <cmath>

namespace larmor::test {
namespace {

// A normal operator with a spectrum from 1 to 1e-4, in a basis that is not that of the pixels.
template <typename T>
Operator<T> uneven_normal(const Shape& image, const Device& device) {
  const Index n = image.size();
  Array<std::complex<T>> root(image);
  for (Index i = 0; i < n; ++i)
    root[i] = static_cast<T>(std::pow(10.0, -2.0 * static_cast<double>(i) / static_cast<double>(n - 1)));
  Context ctx(device);
  const auto A = Diagonal<T>(moved_to(device, std::move(root))) * Fft<T>(image, image.rank());
  return A.normal(ctx);
}

template <typename Case>
class Risk : public OnDevice<Case> {
 protected:
  static constexpr bool single = sizeof(typename Case::T) == 4;
  const Shape pixels{10, 12};
};
TYPED_TEST_SUITE(Risk, DeviceCases, CaseNames);

TYPED_TEST(Risk, LargestEigenvalueIsExactToAMillionth) {
  using T = typename TypeParam::T;
  // Eigenvalues that lie as close as those of trajectories do.
  Array<std::complex<T>> root({400});
  for (Index i = 0; i < root.size(); ++i)
    root[i] = static_cast<T>(std::sqrt(3.0) * std::exp(-static_cast<double>(i) / 100));
  const Diagonal<T> A(this->there(std::move(root)));
  EXPECT_NEAR(largest_eigenvalue<T>(A.normal(this->ctx()), this->ctx()), 3, 3e-6);
  // As many near the largest one as Cartesian scans have.
  Array<std::complex<T>> crowded({2000});
  for (Index i = 0; i < crowded.size(); ++i)
    crowded[i] = static_cast<T>(std::sqrt(1 - static_cast<double>(i) / 2000));
  const Diagonal<T> of_crowd(this->there(std::move(crowded)));
  EXPECT_NEAR(largest_eigenvalue<T>(of_crowd.normal(this->ctx()), this->ctx(), 200, 1e-6), 1, 1e-6);
  if (!this->single) {
    // More than 200 steps, and a slow stretch on the way.
    Array<std::complex<T>> dense_end({12000});
    for (Index i = 0; i < dense_end.size(); ++i)
      dense_end[i] = static_cast<T>(std::sqrt(1 - static_cast<double>(i) / 12000));
    const Diagonal<T> of_end(this->there(std::move(dense_end)));
    EXPECT_NEAR(largest_eigenvalue<T>(of_end.normal(this->ctx()), this->ctx()), 1, 1e-6);
    EXPECT_LT(largest_eigenvalue<T>(of_end.normal(this->ctx()), this->ctx(), 200), 1 - 1e-6);
  }
  const auto dense_A = random_operator<T>(this->pixels, 5, this->device());
  const Matrix matrix = dense_matrix(dense_A, this->ctx());
  const double expected = largest_eigenvalue_of(matrix.adjoint() * matrix);
  EXPECT_NEAR(largest_eigenvalue<T>(dense_A.normal(this->ctx()), this->ctx()), expected, 2e-6 * expected);
}

// Counts how often an operator is applied.
template <typename T>
class Counted final : public TwoWayOperator<Counted<T>, T> {
 public:
  Counted(const Operator<T>& inner, std::shared_ptr<int> count)
      : TwoWayOperator<Counted<T>, T>(inner.domain(), inner.codomain()),
        inner_(inner),
        count_(std::move(count)) {}
  std::string name() const override { return "Counted"; }
  std::size_t scratch_bytes(const Context& ctx) const override { return inner_.scratch_bytes(ctx); }

 protected:
  void run(Direction way, View<const std::complex<T>> in, View<std::complex<T>> out, Context& ctx,
           Write write) const override {
    ++*count_;
    inner_.apply(way, in, out, ctx, write);
  }

 private:
  Operator<T> inner_;
  std::shared_ptr<int> count_;
};

TYPED_TEST(Risk, LargestEigenvalueOfBlocksIsThatOfTheLargest) {
  using T = typename TypeParam::T;
  // As those of a series' frames, whose largest ones differ by a thousandth.
  constexpr Index blocks = 40, size = 50;
  const auto count = std::make_shared<int>(0);
  std::vector<Operator<T>> frames;
  for (Index b = 0; b < blocks; ++b) {
    Array<std::complex<T>> values({size});
    const double largest = 2 + 1e-3 * std::cos(static_cast<double>(b));
    for (Index i = 0; i < size; ++i)
      values[i] = static_cast<T>(largest * std::exp(-static_cast<double>(i) / 3));
    frames.push_back(Counted<T>(Diagonal<T>(this->there(std::move(values))), count));
  }
  const Reshaped<T> series(BlockDiag<T>(frames), {blocks, size}, {blocks, size});
  EXPECT_NEAR(largest_eigenvalue<T>(series, this->ctx()), 2.001, 2e-6);
  EXPECT_LT(*count, 20 * blocks);
}

TEST(LargestOfTridiagonal, IsThatOfTheDenseMatrix) {
  const std::vector<double> diagonal{2, -1, 3, 0.5, 3}, below{1, 0.25, -2, 0};
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(5, 5);
  for (int i = 0; i < 5; ++i) matrix(i, i) = diagonal[static_cast<std::size_t>(i)];
  for (int i = 0; i < 4; ++i) matrix(i, i + 1) = matrix(i + 1, i) = below[static_cast<std::size_t>(i)];
  const double expected = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues().maxCoeff();
  EXPECT_NEAR(detail::largest_of_tridiagonal(diagonal, below), expected, 1e-13);
  EXPECT_NEAR(detail::largest_of_tridiagonal({4}, {}), 4, 1e-13);
  EXPECT_THROW(detail::largest_of_tridiagonal({}, {}), Error);
}

TYPED_TEST(Risk, SolutionsOfAllWeightsComeFromOneSpace) {
  using T = typename TypeParam::T;
  const auto normal = uneven_normal<T>(this->pixels, this->device());
  const Matrix H = dense_matrix(normal, this->ctx());
  const auto b = this->random(this->pixels, 3);
  KrylovSpace<T> space(normal, b, this->ctx());
  while (space.size() < 100 && space.extend()) continue;
  EXPECT_NEAR(space.largest(), 1, 1e-4);
  for (const double shift : {1.0, 0.1, 0.01}) {
    const Vector expected = (H + shift * Matrix::Identity(H.rows(), H.cols())).llt().solve(to_vector<T>(b));
    const Vector found = to_vector<T>(space.combined(space.solution(space.size(), shift)));
    EXPECT_LT((found - expected).norm(), (this->single ? 1e-4 : 1e-8) * expected.norm()) << shift;
  }
}

TYPED_TEST(Risk, FreedomIsTheTraceOfTheDenseInfluence) {
  using T = typename TypeParam::T;
  // Of AAᴴ(AAᴴ + λ)⁻¹, which has the eigenvalues of H(H + λ)⁻¹; the mean of probes, each within a few per
  // cent.
  Array<std::complex<T>> root({32, 32});
  std::vector<double> eigenvalues;
  for (Index i = 0; i < root.size(); ++i) {
    root[i] =
        static_cast<T>(std::pow(10.0, -2.0 * static_cast<double>(i) / static_cast<double>(root.size() - 1)));
    eigenvalues.push_back(std::norm(std::complex<double>(root[i])));
  }
  const auto A = Diagonal<T>(this->there(std::move(root))) * Fft<T>({32, 32}, 2);
  const auto normal = A.normal(this->ctx());
  for (const double lambda : {0.3, 0.01}) {
    double expected = 0, sum = 0;
    for (const double value : eigenvalues) expected += value / (value + lambda);
    constexpr int probes = 4;
    for (unsigned probe = 0; probe < probes; ++probe) {
      auto noise = this->random({32, 32}, 100 + probe);
      scale<T>(std::sqrt(0.5), noise, this->ctx());
      KrylovSpace<T> space(normal, A.adjoint(noise, this->ctx()), this->ctx());
      for (int i = 0; i < 20; ++i) space.extend();
      sum += space.freedom(lambda) / probes;
    }
    EXPECT_NEAR(sum, expected, 0.02 * expected) << lambda;
  }
}

TYPED_TEST(Risk, ASpaceEndsWhereThereIsNoMore) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const Identity<T> identity(this->pixels);
  const auto b = this->random(this->pixels, 3);
  KrylovSpace<T> space(identity, b, this->ctx());
  EXPECT_TRUE(space.extend());
  EXPECT_FALSE(space.extend());
  EXPECT_EQ(space.size(), 1);
  KrylovSpace<T> none(identity, this->there(filled(this->pixels, C(0))), this->ctx());
  EXPECT_FALSE(none.extend());
  EXPECT_EQ(none.size(), 0);
}

// The image's error is known in closed form where H is diagonal.
TYPED_TEST(Risk, ChoosesTheWeightOfLeastError) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const Index count = 2000;
  Array<C> eigenvalues({count});
  for (Index i = 0; i < count; ++i)
    eigenvalues[i] = static_cast<T>(std::exp(-5 * static_cast<double>(i) / count));
  auto image = random_complex<T>({count}, 1);
  const auto noise = random_complex<T>({count}, 2);
  for (const double sigma : {0.03, 0.3, 3.0}) {
    Array<C> b({count});
    for (Index i = 0; i < count; ++i)
      b[i] = eigenvalues[i] * image[i] +
             static_cast<T>(sigma * std::sqrt(static_cast<double>(eigenvalues[i].real()))) * noise[i];
    const auto error = [&](double lambda) {
      double sum = 0, all = 0;
      for (Index i = 0; i < count; ++i) {
        const std::complex<double> x = std::complex<double>(b[i]) / (double(eigenvalues[i].real()) + lambda);
        sum += std::norm(x - std::complex<double>(image[i]));
        all += std::norm(std::complex<double>(image[i]));
      }
      return std::sqrt(sum / all);
    };
    double least = error(0);
    for (double lambda = 1e-6; lambda < 50; lambda *= 1.05) least = std::min(least, error(lambda));
    const Diagonal<T> normal(this->there(clone(eigenvalues)));
    const auto choice = choose_tikhonov<T>(normal, this->there(clone(b)), this->there(clone(image)),
                                           {.most = 100}, this->ctx());
    EXPECT_TRUE(choice.converged);
    EXPECT_LT(choice.best.error, 1.01 * least) << sigma;
    // That is what conjugate gradients have after so many iterations with that weight.
    EXPECT_TRUE(choice.settled);
    const auto found = conjugate_gradient<T>(
        {normal, this->there(clone(b)), {l2<T>(choice.best.lambda)}, choice.largest_eigenvalue},
        {.iterations = choice.best.iterations}, this->ctx());
    const Vector truth = to_vector<T>(image);
    EXPECT_NEAR((to_vector<T>(found.x) - truth).norm() / truth.norm(), choice.best.error, 1e-3 * least)
        << sigma;
    // Units of the data do not matter.
    for (C& value : b) value *= T(1000);
    for (C& value : image) value *= T(1000);
    const auto scaled = choose_tikhonov<T>(normal, this->there(clone(b)), this->there(clone(image)),
                                           {.most = 100}, this->ctx());
    EXPECT_NEAR(scaled.best.lambda, choice.best.lambda, 1e-4 * choice.best.lambda);
    EXPECT_EQ(scaled.best.iterations, choice.best.iterations);
    for (C& value : image) value *= T(0.001);
  }
}

TYPED_TEST(Risk, ATrialIsCompared) {
  using T = typename TypeParam::T;
  const auto normal = uneven_normal<T>(this->pixels, this->device());
  const auto image = this->random(this->pixels, 8);
  auto b = normal.apply(image, this->ctx());
  axpy<T>(0.01, this->random(this->pixels, 10), b, this->ctx());
  const Vector truth = to_vector<T>(image);
  const auto alone = choose_tikhonov<T>(normal, b, image, {.most = 40}, this->ctx());
  // One that the search comes by, and one of more iterations than it takes.
  const auto behind = static_cast<Index>(alone.curve.size()) + 5;
  for (const TikhonovTrial& trial : {TikhonovTrial{0.3, 2, 0}, TikhonovTrial{0, behind, 0}}) {
    const auto choice = choose_tikhonov<T>(normal, b, image, {.most = 40, .compared = &trial}, this->ctx());
    EXPECT_EQ(choice.best.iterations, alone.best.iterations);
    EXPECT_EQ(choice.best.lambda, alone.best.lambda);
    KrylovSpace<T> space(normal, b, this->ctx());
    while (space.size() < trial.iterations && space.extend()) continue;
    const auto x = space.combined(space.solution(trial.iterations, trial.lambda * choice.largest_eigenvalue));
    const double error = (to_vector<T>(x) - truth).norm() / truth.norm();
    EXPECT_NEAR(choice.compared * choice.best.error, error, 0.01 * error);
    EXPECT_GT(choice.compared, 1);
  }
}

TYPED_TEST(Risk, WithoutWeightsIterationsAreThoseOfTheLeastError) {
  using T = typename TypeParam::T;
  const auto normal = uneven_normal<T>(this->pixels, this->device());
  const auto image = this->random(this->pixels, 8);
  auto b = normal.apply(image, this->ctx());
  axpy<T>(0.05, normal.apply(this->random(this->pixels, 9), this->ctx()), b, this->ctx());
  axpy<T>(0.01, this->random(this->pixels, 10), b, this->ctx());
  Array<std::complex<T>> solution;
  const auto choice =
      choose_tikhonov<T>(normal, b, image, {.most = 40, .weights = false}, this->ctx(), &solution);
  EXPECT_TRUE(choice.converged);
  EXPECT_LT(choice.curve.size(), 40u);
  for (const TikhonovTrial& trial : choice.curve) EXPECT_EQ(trial.lambda, 0);
  EXPECT_EQ(choice.best.lambda, 0);
  KrylovSpace<T> space(normal, b, this->ctx());
  std::vector<double> errors;
  const Vector truth = to_vector<T>(image);
  for (Index k = 1; k <= 20 && space.extend(); ++k)
    errors.push_back((to_vector<T>(space.combined(space.solution(k, 0))) - truth).norm() / truth.norm());
  const double least = *std::min_element(errors.begin(), errors.end());
  EXPECT_NEAR(errors.at(static_cast<std::size_t>(choice.best.iterations - 1)), choice.best.error,
              1e-3 * least);
  EXPECT_LT(choice.best.error, 1.006 * least);
  EXPECT_NEAR((to_vector<T>(solution) - truth).norm() / truth.norm(), choice.best.error, 1e-3 * least);
  for (auto more = static_cast<std::size_t>(choice.best.iterations); more < choice.curve.size(); ++more)
    EXPECT_GT(errors.at(more), 1.004 * least);
}

// A few eigenvalues far above the others, as a kooshball has: where their vectors are found, conjugate
// gradients in single precision lose what makes a space of few dimensions.
TYPED_TEST(Risk, RehearsesWhatASolverMakes) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const Index count = 600;
  const auto eigenvalue = [](Index i) { return 1e4 * std::exp(-12 * std::sqrt(double(i) / count)); };
  Array<C> eigenvalues({count}), image = random_complex<T>({count}, 1), b({count});
  const auto noise = random_complex<T>({count}, 2);
  for (Index i = 0; i < count; ++i) {
    const double value = eigenvalue(i);
    eigenvalues[i] = static_cast<T>(value);
    image[i] *= static_cast<T>(std::exp(-5 * double(i) / count));
    b[i] = static_cast<T>(value) * image[i] + static_cast<T>(0.1 * std::sqrt(value)) * noise[i];
  }
  const Vector truth = to_vector<T>(image);
  const Diagonal<T> normal(this->there(std::move(eigenvalues)));
  const auto there = this->there(std::move(image)), data = this->there(std::move(b));
  const auto planned =
      choose_tikhonov<T>(normal, data, there, {.most = 200, .weights = false}, this->ctx()).best;
  const Rehearsal found = rehearse<T>(normal, data, there, 0, planned.iterations, 200, this->ctx());
  const auto error = [&](const Array<C>& x) { return (to_vector<T>(x) - truth).norm() / truth.norm(); };
  const auto solved = [&](Index iterations) {
    return error(conjugate_gradient<T>({normal, clone(data)}, {.iterations = iterations}, this->ctx()).x);
  };
  // Rounding differs where data are scaled.
  EXPECT_NEAR(solved(found.iterations), found.error, 1e-2 * found.error);
  double least = 2;
  for (Index k = 1; k <= found.iterations + found.iterations / 4; ++k) least = std::min(least, solved(k));
  EXPECT_LT(found.error, 1.015 * least);
  // A space that is kept orthogonal is there earlier.
  if (this->single) {
    EXPECT_GT(found.iterations, planned.iterations + 2);
    EXPECT_GT(solved(planned.iterations), 1.05 * found.error);
  }
  // No more than is allowed.
  EXPECT_LE(rehearse<T>(normal, data, there, 0, 1, 5, this->ctx()).iterations, 5);
  EXPECT_THROW(rehearse<T>(normal, data, this->there(filled({count}, C(0))), 0, 1, 5, this->ctx()), Error);
}

// Data are those of the image and of something else, most of it in the half of the pixels that is not judged:
// more iterations are best for the other half alone, and a rehearsal says so too.
TYPED_TEST(Risk, APartOfTheImageIsJudged) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const auto normal = uneven_normal<T>(this->pixels, this->device());
  const auto image = this->random(this->pixels, 8);
  Array<C> half(this->pixels), noise = copied_to(Device::cpu(), this->random(this->pixels, 9));
  for (Index i = 0; i < half.size(); ++i) {
    half[i] = i % 2 == 0 ? T(1) : T(0);
    noise[i] *= i % 2 == 0 ? T(0.02) : T(1.5);
  }
  const Diagonal<T> judged(this->there(std::move(half)));
  axpy<T>(1, image, noise = this->there(std::move(noise)), this->ctx());
  const auto b = normal.apply(noise, this->ctx());
  const auto all = choose_tikhonov<T>(normal, b, image, {.most = 60, .weights = false}, this->ctx());
  Array<C> solution;
  const auto choice = choose_tikhonov<T>(normal, b, image, {.most = 60, .weights = false, .judged = &judged},
                                         this->ctx(), &solution);
  const auto error = [&](View<const C> x) {
    const Vector truth = to_vector<T>(judged.apply(image, this->ctx()));
    return (to_vector<T>(judged.apply(x, this->ctx())) - truth).norm() / truth.norm();
  };
  EXPECT_NEAR(error(solution), choice.best.error, 2e-3 * choice.best.error);
  EXPECT_GT(choice.best.iterations, all.best.iterations);
  KrylovSpace<T> space(normal, b, this->ctx());
  double least = 2;
  for (Index k = 1; k <= 30 && space.extend(); ++k)
    least = std::min(least, error(space.combined(space.solution(k, 0))));
  EXPECT_LT(choice.best.error, 1.006 * least);
  const Rehearsal found = rehearse<T>(normal, b, image, 0, choice.best.iterations, 500, this->ctx(), &judged);
  EXPECT_LT(found.error, 1.1 * choice.best.error);
  const auto solved =
      conjugate_gradient<T>({normal, clone(b)}, {.iterations = found.iterations}, this->ctx()).x;
  EXPECT_NEAR(error(solved), found.error, 1e-2 * found.error);
}

TYPED_TEST(Risk, WhatIsFarBehindIsGivenUp) {
  using T = typename TypeParam::T;
  const auto normal = uneven_normal<T>(this->pixels, this->device());
  const auto image = this->random(this->pixels, 8);
  const auto b = normal.apply(image, this->ctx());
  const auto searched = [&](double expected) {
    return choose_tikhonov<T>(normal, b, image, {.most = 12, .patience = 4, .expected = expected},
                              this->ctx());
  };
  const auto reached = searched(2);
  EXPECT_FALSE(reached.given_up);
  EXPECT_GT(reached.curve.size(), 4U);
  const auto choice = searched(1e-9);
  EXPECT_TRUE(choice.given_up);
  EXPECT_FALSE(choice.converged);
  EXPECT_FALSE(choice.settled);
  EXPECT_EQ(choice.curve.size(), 4U);
}

TYPED_TEST(Risk, SaysWhenIterationsWereTooFew) {
  using T = typename TypeParam::T;
  const auto normal = uneven_normal<T>(this->pixels, this->device());
  const auto image = this->random(this->pixels, 8);
  const auto choice =
      choose_tikhonov<T>(normal, normal.apply(image, this->ctx()), image, {.most = 5}, this->ctx());
  EXPECT_FALSE(choice.converged);
  EXPECT_EQ(choice.best.iterations, 5);
}

}  // namespace
}  // namespace larmor::test
