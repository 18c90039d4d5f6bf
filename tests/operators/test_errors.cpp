// An error inside an operator leaks no memory, and the process can continue.
#include "device_cases.hpp"
#include "error_of.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/stacks.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

template <typename Case>
class ErrorsInOperators : public OnDevice<Case> {
 protected:
  // Runs an action that must fail, twice, and an operator that must give the same result before and after.
  template <typename Wrong>
  void expect_no_loss(const char* exit_status, const std::string& words, const Wrong& wrong) {
    using T = typename Case::T;
    const Shape image{12, 10};
    const auto k = random_real({150, 2}, -0.5, 0.5, 1);
    const auto maps = this->random(image.prepend(3), 2), x = this->random(image, 3);
    const auto run = [&] {
      Context ctx = this->context({.deterministic = true});
      const auto A = Nufft<T>(k, image, {.tolerance = 1e-3, .batch = 3}, ctx) * CoilMaps<T>(maps.view());
      return A.normal(ctx).apply(A.adjoint(A.apply(x, ctx), ctx), ctx);
    };
    const auto before = run();
    const std::size_t bytes = this->memory().current_bytes;
    for (int attempt = 0; attempt < 2; ++attempt) {
      EXPECT_THAT(error_of(wrong), AllOf(StartsWith(exit_status), HasSubstr(words)));
      EXPECT_EQ(this->memory().current_bytes, bytes);
      EXPECT_TRUE(same_bits(run(), before));
      EXPECT_EQ(this->memory().current_bytes, bytes);
    }
  }
};
TYPED_TEST_SUITE(ErrorsInOperators, DeviceCases, CaseNames);

// Allocates scratch, then runs another operator on input of the wrong shape.
template <typename T>
class Misfit final : public OperatorBase<Misfit<T>, T> {
 public:
  using C = std::complex<T>;
  explicit Misfit(const Shape& shape) : OperatorBase<Misfit<T>, T>(shape, shape) {}
  std::string name() const override { return "Misfit"; }
  std::size_t scratch_bytes(const Context& ctx) const override {
    return Scratch::bytes<C>(this->domain()) + inner_.scratch_bytes(ctx);
  }

 protected:
  void do_apply(View<const C> x, View<C> y, Context& ctx, Write) const override {
    Scratch scratch(ctx);
    const auto buffer = scratch.take<C>(this->domain());
    copy<T>(x, buffer, ctx);
    inner_.apply(buffer, y, ctx);
  }
  void do_adjoint(View<const C> y, View<C> x, Context& ctx, Write write) const override {
    do_apply(y, x, ctx, write);
  }

 private:
  Fft<T> inner_{{3, 5}, 2};
};

TYPED_TEST(ErrorsInOperators, WrongShapeInsideOfAProduct) {
  using T = typename TypeParam::T;
  const Fft<T> fft({12, 10}, 2);
  const auto product = fft * Misfit<T>({12, 10}) * fft;
  this->expect_no_loss("2: ", "Fft: apply input has shape [12, 10], expected [3, 5]", [&] {
    Context ctx = this->context({});
    product.apply(this->random({12, 10}, 4), ctx);
  });
}

TYPED_TEST(ErrorsInOperators, ScratchThatDoesNotFit) {
  using T = typename TypeParam::T;
  // The intermediate value has 2^46 elements; input and output are small.
  const Shape few{4}, many{Index{1} << 46};
  const char* words = this->device().on_gpu() ? "bytes" : "not enough memory";
  this->expect_no_loss("4: ", words, [&] {
    Context ctx = this->context({});
    const Pad<T> pad(few, many);
    const auto product = adjoint<T>(pad) * pad;
    const auto x = this->random(few, 4);
    product.apply(x, ctx);
  });
}

#ifndef LARMOR_SEPARATE_SCRATCH
TYPED_TEST(ErrorsInOperators, ScratchThatGrowsInUse) {
  using T = typename TypeParam::T;
  // During an apply the arena must not move, whatever an inner operator requests.
  this->expect_no_loss("1: ", "scratch arena", [&] {
    Context ctx = this->context({});
    ctx.arena().reserve(256);
    Scratch scratch(ctx);
    scratch.template take<T>({4});
    const auto x = this->random({64, 64}, 4);
    Fft<T>({64, 64}, 2).apply(x, ctx);
  });
}
#endif

TYPED_TEST(ErrorsInOperators, ShapesThatDoNotFitAreTheCallersMistake) {
  using T = typename TypeParam::T;
  const auto points = [this](Index samples, Index dims) {
    return this->there(random_real({samples, dims}, -0.5, 0.5, 1));
  };
  this->expect_no_loss("2: ", "expected [samples, 2]", [&] {
    Context ctx = this->context({});
    Nufft<T>(points(4, 3), {16, 16}, {}, ctx);
  });
  this->expect_no_loss("2: ", "expected 1 to 3 axes", [&] {
    Context ctx = this->context({});
    Nufft<T>(points(4, 4), {4, 4, 4, 4}, {}, ctx);
  });
  this->expect_no_loss("2: ", "[4]", [&] { Fft<T>({4}, 3); });
  this->expect_no_loss("2: ", "-1", [&] { Shape{-1, 4}; });
}

TYPED_TEST(ErrorsInOperators, TrajectoryThatIsNotFinite) {
  using T = typename TypeParam::T;
  auto k = random_real({50, 2}, -0.5, 0.5, 1);
  k[31] = std::numeric_limits<double>::infinity();
  this->expect_no_loss("3: ", "sample 15", [&] {
    Context ctx = this->context({});
    Nufft<T>(this->there(clone(k)), {16, 16}, {}, ctx);
  });
}

}  // namespace
}  // namespace larmor::test
