#include "small_problems.hpp"

#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/elementwise_kernels.hpp>
#include <larmor/solvers/methods/irgnm.hpp>

#include <gtest/gtest.h>
#include <Eigen/Dense>

namespace larmor::test {
namespace {

using D = std::complex<double>;

// F(x) = B x + c (x ⊙ x). The operations that the solver records for a GPU run on the device, the rest on the
// host.
template <typename T>
class Quadratic final : public NonlinearLeastSquares<T> {
 public:
  using Scalar = std::complex<T>;
  Quadratic(OperatorPtr<T> B, double curvature, Vector y, Context& ctx)
      : B_(std::move(B)),
        matrix_(dense_matrix(*B_, ctx)),
        curvature_(curvature),
        y_(std::move(y)),
        diagonal_(B_->domain(), ctx.device()),
        normal_(*this) {}

  Vector value(const Vector& x) const { return matrix_ * x + curvature_ * x.cwiseProduct(x); }
  Matrix derivative(const Vector& x) const { return matrix_ + 2 * curvature_ * Matrix(x.asDiagonal()); }

  const Shape& domain() const override { return B_->domain(); }
  void move_to(View<const Scalar> x, Context&) override {
    residual_ = y_ - value(to_vector<T>(x));
    jacobian_ = derivative(to_vector<T>(x));
    write<T>(Vector(2 * curvature_ * to_vector<T>(x)), diagonal_);
  }
  double residual_squared(Context&) const override { return residual_.squaredNorm(); }
  void descent(View<Scalar> out, Context&) const override {
    write<T>(Vector(jacobian_.adjoint() * residual_), out);
  }
  const LinearOperator<T>& normal() const override { return normal_; }

 private:
  class Normal final : public OperatorBase<Normal, T> {
   public:
    explicit Normal(const Quadratic& of) : OperatorBase<Normal, T>(of.domain(), of.domain()), of_(of) {}
    std::string name() const override { return "Normal"; }
    std::size_t scratch_bytes(const Context& ctx) const override {
      return Scratch::bytes<Scalar>(of_.domain()) + of_.B_->scratch_bytes(ctx);
    }

   protected:
    void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write) const override {
      Scratch scratch(ctx);
      const auto Jx = scratch.take<Scalar>(of_.domain());
      of_.B_->apply(x, Jx, ctx);
      multiply(x, Jx, false, ctx);
      of_.B_->adjoint(Jx, y, ctx);
      multiply(Jx, y, true, ctx);
    }
    void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write mode) const override {
      do_apply(y, x, ctx, mode);
    }

   private:
    // out += d ⊙ x
    void multiply(View<const Scalar> x, View<Scalar> out, bool conjugate, Context& ctx) const {
      for_each(ctx, x.size(),
               Multiply<T>{complex_values(of_.diagonal_.data()), complex_values(x.data()),
                           complex_values(out.data()), conjugate, true});
    }
    const Quadratic& of_;
  };

  OperatorPtr<T> B_;
  Matrix matrix_;
  double curvature_;
  Vector y_;
  Array<Scalar> diagonal_;  // 2 c x
  Vector residual_;
  Matrix jacobian_;
  Normal normal_;
};

template <typename Case>
class Irgnm : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;
  const Vector truth = random_vector(6, 2);

  /// 1 plus a small unstructured part.
  OperatorPtr<Scalar> B() {
    auto first = filled<std::complex<Scalar>>({6}, 0.1), second = clone(first);
    for (Index i = 0; i < 6; ++i) first[i] *= D(1, static_cast<double>(i) - 2), second[i] *= D(i % 3, 1);
    const Diagonal<Scalar> left(this->there(std::move(first))), right(this->there(std::move(second)));
    return Sum<Scalar>({Identity<Scalar>({6}).share(), (left * Fft<Scalar>({6}, 1) * right).share()}).share();
  }
  Quadratic<Scalar> model(double curvature, const Vector& y) { return {B(), curvature, y, this->ctx()}; }
  /// The model that has the solution `truth`.
  Quadratic<Scalar> solvable() { return model(0.2, model(0.2, truth).value(truth)); }
  Array<std::complex<Scalar>> start() { return this->random({6}, 3); }
};
TYPED_TEST_SUITE(Irgnm, DoubleCases, CaseNames);

TYPED_TEST(Irgnm, ALinearModelTakesOneTikhonovStep) {
  using T = typename TypeParam::T;
  const Vector y = random_vector(6, 4);
  auto model = this->model(0, y);
  const Matrix B = dense_matrix<T>(*this->B(), this->ctx());
  const auto start = this->start();
  const auto result =
      irgnm<T>(model, start, {.iterations = 1, .alpha = 0.3, .inner_tolerance = 1e-13}, this->ctx());
  const Vector x0 = to_vector(start);
  const Vector expected =
      (B.adjoint() * B + 0.3 * Matrix::Identity(6, 6)).ldlt().solve(B.adjoint() * y + 0.3 * x0);
  EXPECT_LT((to_vector(result.x) - expected).norm(), 1e-11 * expected.norm());
  EXPECT_LT(result.history[0].gradient, 1e-11);
}

TYPED_TEST(Irgnm, FollowsTheDenseIteration) {
  using T = typename TypeParam::T;
  auto model = this->solvable();
  const Vector y = model.value(this->truth);
  const auto start = this->start();
  const auto result =
      irgnm<T>(model, start,
               {.iterations = 5, .alpha = 1, .reduction = 0.25, .alpha_min = 0.01, .inner_tolerance = 1e-13},
               this->ctx());
  const Vector x0 = to_vector(start);
  Vector x = x0;
  double alpha = 1;
  for (int step = 0; step < 5; ++step) {
    const Matrix J = model.derivative(x);
    x += (J.adjoint() * J + alpha * Matrix::Identity(6, 6))
             .ldlt()
             .solve(J.adjoint() * (y - model.value(x)) + alpha * (x0 - x));
    EXPECT_NEAR(result.history[static_cast<std::size_t>(step)].objective,
                0.5 * (y - model.value(x)).squaredNorm(), 1e-9 * y.squaredNorm());
    alpha = std::max(0.25 * alpha, 0.01);
  }
  EXPECT_LT((to_vector(result.x) - x).norm(), 1e-9 * x.norm());
}

TYPED_TEST(Irgnm, RecoversTheTruthAsAlphaFalls) {
  using T = typename TypeParam::T;
  auto model = this->solvable();
  const auto zero = this->there(filled<D>({6}, 0));
  const auto result = irgnm<T>(model, zero, {.iterations = 40, .reduction = 0.5}, this->ctx());
  EXPECT_LT((to_vector(result.x) - this->truth).norm(), 1e-6 * this->truth.norm());
}

TYPED_TEST(Irgnm, StopsAtTheDiscrepancy) {
  using T = typename TypeParam::T;
  auto model = this->solvable();
  const auto zero = this->there(filled<D>({6}, 0));
  const auto result = irgnm<T>(model, zero, {.iterations = 40, .residual = 0.1}, this->ctx());
  EXPECT_EQ(result.stop_reason, StopReason::residual);
  // The same, but not before a step improves it by less than a thousandth.
  const auto later =
      irgnm<T>(model, zero, {.iterations = 40, .residual = 0.1, .least_gain = 1e-3}, this->ctx());
  EXPECT_GT(later.history.size(), result.history.size());
  EXPECT_LT(later.history.back().objective, result.history.back().objective);
  EXPECT_LE(std::sqrt(2 * result.history.back().objective), 0.1);
  EXPECT_GT(std::sqrt(2 * result.history[result.history.size() - 2].objective), 0.1);
}

TYPED_TEST(Irgnm, RefusesWrongNumbers) {
  using T = typename TypeParam::T;
  auto model = this->model(0.2, Vector::Ones(6));
  const auto start = this->start(), wrong = this->random({5}, 1);
  EXPECT_THROW(irgnm<T>(model, wrong, {}, this->ctx()), Error);
  EXPECT_THROW(irgnm<T>(model, start, {.alpha = -1}, this->ctx()), Error);
  EXPECT_THROW(irgnm<T>(model, start, {.reduction = 0}, this->ctx()), Error);
  auto broken = this->model(0.2, Vector::Constant(6, std::nan("")));
  EXPECT_THROW(irgnm<T>(broken, start, {}, this->ctx()), Error);
  auto zero = this->model(0, Vector::Zero(6));
  const auto origin = this->there(filled<D>({6}, 0));
  EXPECT_EQ(irgnm<T>(zero, origin, {}, this->ctx()).stop_reason, StopReason::zero_data);
}

}  // namespace
}  // namespace larmor::test
