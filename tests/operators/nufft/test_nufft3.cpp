// The transform from points to points compared with exact sums: near and far centres, every dimension and
// tolerance.
#include "device_cases.hpp"
#include "error_of.hpp"
#include "operators/operator_contract.hpp"

#include <larmor/operators/nufft/type3/nufft3.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using testing::HasSubstr;
using testing::IsEmpty;

// Σ_i c_i exp(−2πi k_j·x_i), products of coordinates without rounding.
Array<D> exact_sums(View<const double> x, View<const double> k, View<const D> c, double sign = -1) {
  const Index dims = x.shape()[1], batch = c.size() / x.shape()[0], points = x.shape()[0],
              frequencies = k.shape()[0];
  Array<D> s(batch == 1 ? Shape{frequencies} : Shape{batch, frequencies});
  for (Index j = 0; j < frequencies; ++j) {
    for (Index b = 0; b < batch; ++b) s[b * frequencies + j] = 0;
    for (Index i = 0; i < points; ++i) {
      long double cycles = 0;
      for (Index a = 0; a < dims; ++a) {
        const long double u = k[j * dims + a], v = x[i * dims + a], product = u * v;
        cycles += std::remainder(product, 1.0L) + std::fma(u, v, -product);
      }
      const D phase = std::polar(1.0, static_cast<double>(sign * 2 * std::numbers::pi * cycles));
      for (Index b = 0; b < batch; ++b) s[b * frequencies + j] += c[b * points + i] * phase;
    }
  }
  return s;
}

struct Boxes {
  double points_centre, points_half, frequencies_centre, frequencies_half;
};

template <typename Case>
class Nufft3OnDevices : public OnDevice<Case> {
 protected:
  static constexpr bool single = sizeof(typename Case::T) == 4;

  void expect_accurate(Index dims, const Boxes& box, int last_decade, int step);
};
TYPED_TEST_SUITE(Nufft3OnDevices, DeviceCases, CaseNames);

template <typename Case>
void Nufft3OnDevices<Case>::expect_accurate(Index dims, const Boxes& box, int last_decade, int step) {
  using T = typename Case::T;
  Context& ctx = this->ctx();
  const auto x =
      random_real({300, dims}, box.points_centre - box.points_half, box.points_centre + box.points_half, 1);
  const auto k = random_real({250, dims}, box.frequencies_centre - box.frequencies_half,
                             box.frequencies_centre + box.frequencies_half, 2);
  const auto c = random_complex<T>({300}, 3), y = random_complex<T>({250}, 4);
  const auto forward = exact_sums(x, k, converted<D>(c.view()));
  const auto adjoint = exact_sums(k, x, converted<D>(y.view()), +1);
  const auto c_there = copied_to(ctx.device(), c), y_there = copied_to(ctx.device(), y);
  for (int decade = 1; decade <= last_decade; decade += under_sanitizers ? 4 : step) {
    const double tolerance = std::pow(10.0, -decade);
    const Nufft3<T> nufft(x, k, {.tolerance = tolerance}, ctx);
    EXPECT_LE(relative_difference(nufft.apply(c_there, ctx), forward), tolerance)
        << dims << " centre " << box.points_centre;
    EXPECT_LE(relative_difference(nufft.adjoint(y_there, ctx), adjoint), tolerance)
        << dims << " centre " << box.points_centre;
  }
}

TYPED_TEST(Nufft3OnDevices, BothDirectionsMeetEveryTolerance) {
  for (const Index dims : {1, 2, 3}) {
    // Different extents give different grid sizes; the last boxes are smaller than a cell.
    for (const Boxes& box : {Boxes{0, 1, 0, 8}, {0.3, 20, -0.1, 0.4}, {0, 0.01, 0, 0.1}}) {
      this->expect_accurate(dims, box, this->single ? 5 : 11, this->single ? 1 : 2);
    }
  }
}

TYPED_TEST(Nufft3OnDevices, CentresMayBeFarFromTheOrigin) {
  for (const Index dims : {1, 2, 3})
    for (const Boxes& box : {Boxes{12345.678, 2, 0.4, 3}, {-1, 2, 98765.4321, 3}, {2e5, 1, -3e5, 5}}) {
      this->expect_accurate(dims, box, this->single ? 5 : 9, this->single ? 2 : 4);
    }
}

TYPED_TEST(Nufft3OnDevices, ABatchIsEachOfItsVectors) {
  using T = typename TypeParam::T;
  const double tolerance = this->single ? 1e-4 : 1e-8;
  for (const Index dims : {1, 2, 3})
    for (const Index batch : {1, 3, 11}) {
      const auto x = random_real({60, dims}, 1, 4, 1), k = random_real({50, dims}, -2, 1, 2);
      const auto c = random_complex<T>({batch, 60}, 3), y = random_complex<T>({batch, 50}, 4);
      const Nufft3<T> nufft(x, k, {.tolerance = tolerance, .batch = batch}, this->ctx());
      EXPECT_LE(relative_difference(nufft.apply(this->there(clone(c)), this->ctx()),
                                    exact_sums(x, k, converted<D>(c.view())).view().reshaped({batch, 50})),
                tolerance);
      EXPECT_LE(
          relative_difference(nufft.adjoint(this->there(clone(y)), this->ctx()),
                              exact_sums(k, x, converted<D>(y.view()), +1).view().reshaped({batch, 60})),
          tolerance);
    }
}

// The contract of all operators: with and without centres, whose factors are computed in different ways.
TYPED_TEST(Nufft3OnDevices, HoldsTheContract) {
  using T = typename TypeParam::T;
  const double tolerance = this->single ? 1e-4 : 1e-9;
  for (const Index dims : {1, 2, 3})
    for (const Index batch : {0, 3}) {
      const bool centred = dims == 2;
      const auto x = random_real({13, dims}, centred ? -1 : 1, centred ? 1 : 3, 1),
                 k = random_real({9, dims}, -2, batch > 0 ? 1 : 2, 2);
      ContractOptions<T> options;
      options.device = TypeParam::device();
      options.reference = [&](View<const D> c) {
        auto s = exact_sums(x, k, c);
        return batch > 0 ? clone(s.view().reshaped({batch, 9})) : std::move(s);
      };
      options.reference_tolerance = tolerance;
      EXPECT_THAT(contract_violations<T>(
                      Nufft3<T>(x, k, {.tolerance = tolerance, .batch = batch}, this->ctx()), options),
                  IsEmpty())
          << dims << " " << batch;
    }
}

TYPED_TEST(Nufft3OnDevices, OnePointAndOneFrequencyGiveOnePhase) {
  using T = typename TypeParam::T;
  Array<double> x({1, 2}), k({1, 2});
  x[0] = 3.25, x[1] = -1, k[0] = 0.5, k[1] = 7.125;
  const double tolerance = this->single ? 1e-5 : 1e-9;
  const Nufft3<T> nufft(this->there(clone(x)), this->there(clone(k)), {.tolerance = tolerance}, this->ctx());
  const auto c = this->there(filled<std::complex<T>>({1}, {2, 1}));
  const D expected = D(2, 1) * std::polar(1.0, -2 * std::numbers::pi * (3.25 * 0.5 - 7.125));
  EXPECT_LT(std::abs(D(fetched(nufft.apply(c, this->ctx()))[0]) - expected), 3 * tolerance);
}

TYPED_TEST(Nufft3OnDevices, NoPointsGiveZerosAndNoFrequenciesGiveNone) {
  using T = typename TypeParam::T;
  const auto few = random_real({5, 2}, 1, 2, 1);
  const Array<double> none({0, 2});
  const auto values = this->random({5}, 2);
  const Array<std::complex<T>> no_values({0}, TypeParam::device());
  const Nufft3<T> from_none(none, few, {}, this->ctx()), to_none(few, none, {}, this->ctx());
  for (const auto& zeros :
       {fetched(from_none.apply(no_values, this->ctx())), fetched(to_none.adjoint(no_values, this->ctx()))})
    for (const auto& value : zeros) EXPECT_EQ(value, std::complex<T>(0));
  EXPECT_EQ(from_none.adjoint(values, this->ctx()).size(), 0);
  EXPECT_EQ(to_none.apply(values, this->ctx()).size(), 0);
}

TYPED_TEST(Nufft3OnDevices, OneDirectionIsEnoughAndTheOtherIsRefused) {
  using T = typename TypeParam::T;
  const auto x = random_real({40, 2}, 0, 2, 1), k = random_real({30, 2}, -3, 3, 2);
  const auto c = this->random({40}, 3), y = this->random({30}, 4);
  const Nufft3<T> both(x, k, {}, this->ctx()), forward(x, k, {.adjoint = false}, this->ctx()),
      adjoint(x, k, {.forward = false}, this->ctx());
  // Not bit by bit: a plan for one direction may choose another grid.
  const double most = 2 * Nufft3Options{}.tolerance;
  EXPECT_LE(relative_difference(forward.apply(c, this->ctx()), both.apply(c, this->ctx())), most);
  EXPECT_LE(relative_difference(adjoint.adjoint(y, this->ctx()), both.adjoint(y, this->ctx())), most);
  EXPECT_THROW(forward.adjoint(y, this->ctx()), Error);
  EXPECT_THROW(adjoint.apply(c, this->ctx()), Error);
}

TYPED_TEST(Nufft3OnDevices, ErrorsSayWhatIsWrong) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  auto x = random_real({10, 2}, 0, 1, 1);
  const auto k = random_real({10, 2}, 0, 1, 2);
  const auto message = [&](Nufft3Options options, View<const double> frequencies) {
    return error_of([&] { Nufft3<T>(x, frequencies, options, ctx); });
  };
  EXPECT_THAT(message({.tolerance = 1e-15}, k), HasSubstr("the best is"));
  EXPECT_THAT(message({.tolerance = 2}, k), HasSubstr("between 0 and 1"));
  EXPECT_THAT(message({}, random_real({10, 3}, 0, 1, 2)), HasSubstr("expected [n, dims] and [m, dims]"));
  auto far = clone(k);
  far[3] = 1e12;
  EXPECT_THAT(message({}, far), HasSubstr("need a grid of"));
  x[7] = std::nan("");
  EXPECT_THAT(message({}, k), HasSubstr("point 3 is not finite"));
}

}  // namespace
}  // namespace larmor::test
