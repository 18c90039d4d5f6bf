// The transform from points to points against exact sums: near and far centres, every dimension and
// tolerance.
#include "operators/operator_contract.hpp"
#include "random_arrays.hpp"

#include <larmor/operators/nufft/nufft3.hpp>

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

template <typename T>
void expect_accurate(Index dims, const Boxes& box, int last_decade, int step) {
  Context ctx(Device::cpu(), {.threads = 2});
  const auto x =
      random_real({300, dims}, box.points_centre - box.points_half, box.points_centre + box.points_half, 1);
  const auto k = random_real({250, dims}, box.frequencies_centre - box.frequencies_half,
                             box.frequencies_centre + box.frequencies_half, 2);
  const auto c = random_complex<T>({300}, 3), y = random_complex<T>({250}, 4);
  const auto forward = exact_sums(x, k, converted<D>(c.view()));
  const auto adjoint = exact_sums(k, x, converted<D>(y.view()), +1);
  for (int decade = 1; decade <= last_decade; decade += step) {
    const double tolerance = std::pow(10.0, -decade);
    const Nufft3<T> nufft(x, k, {.tolerance = tolerance}, ctx);
    EXPECT_LE(relative_difference(nufft.apply(c, ctx), forward), tolerance)
        << dims << " centre " << box.points_centre;
    EXPECT_LE(relative_difference(nufft.adjoint(y, ctx), adjoint), tolerance)
        << dims << " centre " << box.points_centre;
  }
}

TEST(Nufft3, BothDirectionsMeetEveryTolerance) {
  for (const Index dims : {1, 2, 3}) {
    // Extents differ, so do the sizes of the grid; the last boxes are smaller than a cell.
    for (const Boxes& box : {Boxes{0, 1, 0, 8}, {0.3, 20, -0.1, 0.4}, {0, 0.01, 0, 0.1}}) {
      expect_accurate<float>(dims, box, 5, 1);
      expect_accurate<double>(dims, box, 11, 2);
    }
  }
}

TEST(Nufft3, CentresMayBeFarFromTheOrigin) {
  for (const Index dims : {1, 2, 3})
    for (const Boxes& box : {Boxes{12345.678, 2, 0.4, 3}, {-1, 2, 98765.4321, 3}, {2e5, 1, -3e5, 5}}) {
      expect_accurate<float>(dims, box, 5, 2);
      expect_accurate<double>(dims, box, 9, 4);
    }
}

TEST(Nufft3, ABatchIsEachOfItsVectors) {
  Context ctx(Device::cpu(), {.threads = 2});
  for (const Index dims : {1, 2, 3})
    for (const Index batch : {1, 3, 11}) {
      const auto x = random_real({60, dims}, 1, 4, 1), k = random_real({50, dims}, -2, 1, 2);
      const auto c = random_complex<double>({batch, 60}, 3);
      const Nufft3<double> nufft(x, k, {.tolerance = 1e-8, .batch = batch}, ctx);
      EXPECT_LE(relative_difference(nufft.apply(c, ctx), exact_sums(x, k, c).view().reshaped({batch, 50})),
                1e-8);
    }
}

// Every operator of Larmor is held to this.
TEST(Nufft3, HoldsTheContract) {
  Context ctx(Device::cpu(), {.threads = 2});
  for (const Index dims : {1, 2, 3})
    for (const Index batch : {0, 3}) {
      const auto x = random_real({13, dims}, 1, 3, 1), k = random_real({9, dims}, -2, 1, 2);
      ContractOptions<float> options;
      options.reference = [&](View<const D> c) {
        auto s = exact_sums(x, k, c);
        return batch > 0 ? clone(s.view().reshaped({batch, 9})) : std::move(s);
      };
      options.reference_tolerance = 1e-4;
      EXPECT_THAT(
          contract_violations<float>(Nufft3<float>(x, k, {.tolerance = 1e-4, .batch = batch}, ctx), options),
          IsEmpty());
    }
}

TEST(Nufft3, OnePointAndOneFrequencyGiveOnePhase) {
  Context ctx(Device::cpu(), {.threads = 1});
  Array<double> x({1, 2}), k({1, 2});
  x[0] = 3.25, x[1] = -1, k[0] = 0.5, k[1] = 7.125;
  const Nufft3<double> nufft(x, k, {.tolerance = 1e-9}, ctx);
  auto c = filled<D>({1}, D(2, 1));
  const D expected = D(2, 1) * std::polar(1.0, -2 * std::numbers::pi * (3.25 * 0.5 - 7.125));
  EXPECT_LT(std::abs(nufft.apply(c, ctx)[0] - expected), 1e-8);
}

TEST(Nufft3, ErrorsSayWhatIsWrong) {
  Context ctx(Device::cpu(), {.threads = 1});
  auto x = random_real({10, 2}, 0, 1, 1);
  const auto k = random_real({10, 2}, 0, 1, 2);
  const auto message = [&](Nufft3Options options, View<const double> frequencies) -> std::string {
    try {
      Nufft3<float>(x, frequencies, options, ctx);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  EXPECT_THAT(message({.tolerance = 1e-9}, k), HasSubstr("the best is"));
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
