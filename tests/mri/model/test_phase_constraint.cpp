// Images that are real except for a smooth phase: the phase from the centre of k-space, and one side of
// k-space from the other.
#include "device_cases.hpp"
#include "error_of.hpp"
#include "random_arrays.hpp"

#include <larmor/mri/model/phase_constraint.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>

#include <gtest/gtest.h>

#include <numbers>

namespace larmor::test {
namespace {

using D = std::complex<double>;
constexpr Index n = 24;

// A positive image with edges, and a phase of half a cycle per field of view.
double magnitude(Index p) {
  const Index x = p % n - n / 2, y = p / n - n / 2;
  return x * x + y * y < 70 ? (std::abs(x - 3) < 3 ? 2 : 1) : 0;
}
double phase(Index p) {
  return 1.2 * std::sin(std::numbers::pi * static_cast<double>(p % n) / n) -
         0.04 * static_cast<double>(p / n);
}

template <typename Case>
class PhaseConstrained : public OnDevice<Case> {
 protected:
  using Real = typename Case::T;
  using Value = std::complex<Real>;
  const Shape image{n, n};

  Array<Value> truth() const {
    Array<Value> x(image);
    for (Index p = 0; p < x.size(); ++p) x[p] = Value(std::polar(magnitude(p), phase(p)));
    return this->there(std::move(x));
  }
  // Rows of k-space from 3 before the centre.
  Operator<Real> measured() const {
    Array<Value> taken(image);
    for (Index p = 0; p < taken.size(); ++p) taken[p] = p / n >= n / 2 - 3 ? 1 : 0;
    return Diagonal<Real>(this->there(std::move(taken))) * Fft<Real>(image, 2);
  }
};
TYPED_TEST_SUITE(PhaseConstrained, DeviceCases, CaseNames);

TYPED_TEST(PhaseConstrained, TheOtherSideOfKSpaceIsFound) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const auto x = this->truth();
  const Operator<T> A = this->measured();
  const auto y = A.apply(x, this->ctx());
  Array<C> p(this->image);
  for (Index i = 0; i < p.size(); ++i) p[i] = C(std::polar(1.0, phase(i)));
  const Operator<T> P = phase_constraint<T>(this->there(std::move(p)));
  const SolverOptions<T> options{.iterations = 40};
  const auto plain = conjugate_gradient<T>(A, y, {}, options, this->ctx()).x;
  const auto found = P.apply(conjugate_gradient<T>(A * P, y, {}, options, this->ctx()).x, this->ctx());
  const auto expected = fetched(x);
  EXPECT_GT(relative_difference(fetched(plain), expected), 0.15);
  EXPECT_LT(relative_difference(fetched(found), expected), 0.02);
}

TYPED_TEST(PhaseConstrained, ThePhaseIsThatOfTheCentre) {
  using T = typename TypeParam::T;
  const auto x = this->truth();
  const Operator<T> A = this->measured();
  const auto rhs = A.adjoint(A.apply(x, this->ctx()), this->ctx());
  const auto p = fetched(smooth_phase<T>(A.normal(this->ctx()), rhs, {6, 6}, this->ctx()));
  double worst = 0, sum = 0, pixels = 0;
  for (Index i = 0; i < p.size(); ++i) {
    EXPECT_NEAR(std::abs(D(p[i])), 1, 1e-5);
    if (magnitude(i) == 0) continue;
    const double error = std::abs(std::arg(D(p[i]) * std::polar(1.0, -phase(i))));
    worst = std::max(worst, error), sum += error * error, ++pixels;
  }
  EXPECT_LT(std::sqrt(sum / pixels), 0.15);
  EXPECT_LT(worst, 0.5);
}

// Each image of a series has its own phase; it is 0 where there is no signal.
TYPED_TEST(PhaseConstrained, EachImageHasItsOwnPhase) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const auto one = fetched(this->truth());
  Array<C> three(this->image.prepend(3));
  for (Index i = 0; i < one.size(); ++i) {
    three[i] = one[i];
    three[one.size() + i] = 0;
    three[2 * one.size() + i] = std::conj(one[i]);
  }
  const auto p =
      fetched(smooth_phase<T>(Identity<T>(three.shape()), this->there(clone(three)), {6, 6}, this->ctx()));
  const auto alone =
      fetched(smooth_phase<T>(Identity<T>(this->image), this->there(clone(one)), {6, 6}, this->ctx()));
  for (Index i = 0; i < one.size(); ++i) {
    if (magnitude(i) == 0) continue;
    EXPECT_NEAR(std::abs(D(p[i]) - D(alone[i])), 0, 1e-3);
    EXPECT_NEAR(std::abs(D(p[2 * one.size() + i]) - std::conj(D(alone[i]))), 0, 1e-3);
  }
  const auto nothing = fetched(
      smooth_phase<T>(Identity<T>(this->image), this->there(filled<C>(this->image, 0)), {6, 6}, this->ctx()));
  for (const C& value : nothing) EXPECT_EQ(value, C(1));
}

TYPED_TEST(PhaseConstrained, TheCentreIsAPartOfKSpace) {
  using T = typename TypeParam::T;
  const auto x = this->truth();
  for (const Shape& centre : {Shape{6, 30}, Shape{6, 0}, Shape{3, 6, 6}})
    EXPECT_NE(error_of([&] {
                smooth_phase<T>(Identity<T>(this->image), x, centre, this->ctx());
              }).find("smooth_phase: a centre of " + centre.to_string()),
              std::string::npos);
}

}  // namespace
}  // namespace larmor::test
