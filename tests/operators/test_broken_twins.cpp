// Operators that break one rule each: the contract must catch every one of them.
#include "operators/operator_contract.hpp"
#include "random_arrays.hpp"

#include <larmor/operators/basic.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

enum class Flaw {
  none,
  adjoint_without_conjugate,
  always_adds,
  never_adds,
  conjugates_input,
  wrong_normal,
  wrong_values,
  allocates,
  depends_on_threads
};

// Multiplication by w with the given flaw.
class Twin final : public OperatorBase<Twin, float> {
 public:
  using C = std::complex<float>;
  Twin(Flaw flaw, const Shape& shape)
      : OperatorBase<Twin, float>(shape, shape),
        flaw_(flaw),
        w_(std::make_shared<Array<C>>(random_complex<float>(shape, 4))) {}
  std::string name() const override { return "Twin"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }
  OperatorPtr<float> do_normal(const NormalOptions&, Context& ctx) const override {
    if (flaw_ == Flaw::wrong_normal) return Identity<float>(domain()).share();
    return LinearOperator<float>::do_normal(NormalOptions{}, ctx);
  }
  const Array<C>& weights() const { return *w_; }

 protected:
  void do_apply(View<const C> x, View<C> y, Context& ctx, Write write) const override {
    multiply(x, y, ctx, write, false);
  }
  void do_adjoint(View<const C> y, View<C> x, Context& ctx, Write write) const override {
    multiply(y, x, ctx, write, flaw_ != Flaw::adjoint_without_conjugate);
  }

 private:
  void multiply(View<const C> in, View<C> out, Context& ctx, Write write, bool conjugate) const {
    std::unique_ptr<int> waste;
    if (flaw_ == Flaw::allocates) waste = std::make_unique<int>(1);
    for (Index i = 0; i < in.size(); ++i) {
      C value = (conjugate ? std::conj((*w_)[i]) : (*w_)[i]) *
                (flaw_ == Flaw::conjugates_input ? std::conj(in[i]) : in[i]);
      if (flaw_ == Flaw::wrong_values && i == 0) value *= 1.001f;
      if (flaw_ == Flaw::depends_on_threads && ctx.threads() > 2) value *= 1.000001f;
      const bool add =
          flaw_ == Flaw::always_adds || (flaw_ != Flaw::never_adds && write == Write::accumulate);
      out[i] = add ? out[i] + value : value;
    }
  }

  Flaw flaw_;
  std::shared_ptr<Array<C>> w_;
};

std::vector<std::string> violations(Flaw flaw, bool real_linear = false) {
  const Twin twin(flaw, {5, 7});
  ContractOptions<float> options;
  options.real_linear = real_linear;
  options.reference = [&](View<const std::complex<double>> x) {
    Array<std::complex<double>> y({5, 7});
    for (Index i = 0; i < y.size(); ++i) y[i] = std::complex<double>(twin.weights()[i]) * x[i];
    return y;
  };
  return contract_violations<float>(twin, options);
}

TEST(BrokenTwins, TheSoundOnePasses) {
  EXPECT_THAT(violations(Flaw::none), IsEmpty());
}

TEST(BrokenTwins, EveryFlawIsFound) {
  EXPECT_THAT(violations(Flaw::adjoint_without_conjugate), Contains(HasSubstr("adjoint:")));
  EXPECT_THAT(violations(Flaw::always_adds), Contains(HasSubstr("overwrite and accumulate")));
  EXPECT_THAT(violations(Flaw::never_adds), Contains(HasSubstr("overwrite and accumulate")));
  EXPECT_THAT(violations(Flaw::conjugates_input), Contains(HasSubstr("complex linearity")));
  EXPECT_THAT(violations(Flaw::wrong_normal), Contains(HasSubstr("normal:")));
  EXPECT_THAT(violations(Flaw::wrong_values), Contains(HasSubstr("dense matrix")));
#ifndef LARMOR_SEPARATE_SCRATCH
  EXPECT_THAT(violations(Flaw::allocates), Contains(HasSubstr("operator new")));
#endif
  EXPECT_THAT(violations(Flaw::depends_on_threads), Contains(HasSubstr("number of threads")));
}

// Conjugation is linear over real scalars only: its adjoint is not multiplication by conj(w).
TEST(BrokenTwins, FlawsOfRealLinearOperatorsAreFound) {
  EXPECT_THAT(violations(Flaw::none, true), IsEmpty());
  EXPECT_THAT(violations(Flaw::adjoint_without_conjugate, true), Contains(HasSubstr("adjoint:")));
  EXPECT_THAT(violations(Flaw::conjugates_input, true), Contains(HasSubstr("adjoint:")));
  EXPECT_THAT(violations(Flaw::wrong_normal, true), Contains(HasSubstr("normal:")));
  EXPECT_THAT(violations(Flaw::wrong_values, true), Contains(HasSubstr("dense matrix")));
}

}  // namespace
}  // namespace larmor::test
