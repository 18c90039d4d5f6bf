// Adjoint transforms of real samples, by a transform of half the length if possible.
#include "device_cases.hpp"
#include "error_of.hpp"

#include <larmor/operators/nufft/grid/long_line.hpp>
#include <larmor/operators/nufft/grid/real_line.hpp>
#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/transform.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace larmor::test {
namespace {

using D = std::complex<double>;

template <typename T>
class RealLines : public testing::Test {
 protected:
  using C = std::complex<T>;

  Array<C> transformed(const nufft::RealLine<T>& line, Array<C> grid, const Array<T>& factors, int threads) {
    Context ctx(Device::cpu(), {.threads = threads});
    Array<C> image({factors.size()}), work({line.work_size()});
    Array<C> buffers({threads, std::max<Index>(1, line.buffer_size())});
    line.to_image(grid.data(), factors.data(), T(0.5), image.data(), false, work, buffers, ctx);
    return image;
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(RealLines, Precisions, );

template <typename T>
Array<std::complex<T>> real_values(Index n) {
  auto values = random_complex<T>({n}, 4);
  for (auto& value : values) value = value.real();
  return values;
}

// An even function of the pixel's distance from the centre, as 1/φ̂ is.
template <typename T>
Array<T> even_factors(Index image) {
  Array<T> factors({image});
  for (Index i = 0; i < image; ++i)
    factors[i] = static_cast<T>(1 + 0.1 * std::cos(static_cast<double>(i - image / 2)));
  return factors;
}

TYPED_TEST(RealLines, ShortOnesAreTheSumsWrittenOut) {
  using T = TypeParam;
  for (const Index grid : {Index{4}, Index{20}, Index{48}, Index{126}})
    for (const Index image : {Index{1}, grid / 2, grid / 2 + 1, grid - 1}) {
      const auto values = real_values<T>(grid);
      const auto factors = even_factors<T>(image);
      const auto found = this->transformed(nufft::RealLine<T>(image, grid), clone(values), factors, 1);
      Array<D> exact({image});
      for (Index p = 0; p < image; ++p) {
        D sum = 0;
        for (Index j = 0; j < grid; ++j)
          sum += static_cast<double>(values[j].real()) *
                 std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(j * (p - image / 2)) /
                                     static_cast<double>(grid));
        exact[p] = 0.5 * static_cast<double>(factors[p]) * sum;
      }
      EXPECT_LT(relative_difference(found, exact), sizeof(T) == 4 ? 1e-6 : 1e-13) << grid << " " << image;
    }
}

TYPED_TEST(RealLines, LongOnesAreTheWholeTransform) {
  using T = TypeParam;
  for (const Index grid : {Index{1} << 16, Index{80640}})
    for (const Index image : {grid / 2, grid / 2 + 1, grid * 5 / 6}) {
      const auto values = real_values<T>(grid);
      const auto factors = even_factors<T>(image);
      const nufft::RealLine<T> line(image, grid);
      ASSERT_GT(line.buffer_size(), 0);
      const auto found = this->transformed(line, clone(values), factors, 2);
      const auto alone = this->transformed(line, clone(values), factors, 1);
      for (Index i = 0; i < image; ++i) ASSERT_EQ(found[i], alone[i]) << i;

      Context ctx(Device::cpu(), {.threads = 2});
      const nufft::LongLine<T> whole(image, grid);
      auto cells = clone(values);
      Array<std::complex<T>> expected({image}), buffers({2, whole.buffer_size()});
      whole.to_image(cells.data(), factors.data(), T(0.5), expected.data(), false, buffers, ctx);
      EXPECT_LT(relative_difference(found, expected), sizeof(T) == 4 ? 1e-6 : 1e-13) << grid << " " << image;
    }
}

template <typename Case>
class RealSamples : public OnDevice<Case> {};
TYPED_TEST_SUITE(RealSamples, DeviceCases, CaseNames);

TYPED_TEST(RealSamples, AdjointsAreTheExactSums) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  Context& ctx = this->ctx();
  struct Problem {
    Shape image;
    Index batch;
  };
  for (const Problem& problem : {Problem{{64}, 0}, Problem{{65}, 0}, Problem{{1}, 0}, Problem{{60000}, 0},
                                 Problem{{64}, 3}, Problem{{9, 12}, 0}}) {
    const Index points = 70, coils = std::max<Index>(1, problem.batch);
    const auto k = random_real({points, problem.image.rank()}, -0.5, 0.5, 1);
    const auto density = random_real({points}, 0.1, 2, 2);
    NufftOptions options{.tolerance = 1e-5, .batch = problem.batch, .forward = false, .real_samples = true};
    const Nufft<T> nufft(k, density, problem.image, options, ctx);
    const Nudft<double> exact(k, problem.image, problem.batch, density);
    const auto values = real_values<double>(coils * points);
    const auto samples = converted<C>(values.view());
    Context host;
    const auto expected = exact.adjoint(values.view().reshaped(exact.codomain()), host);

    Array<C> found(nufft.domain(), ctx.device());
    const auto there = copied_to(ctx.device(), samples.view().reshaped(nufft.codomain()));
    nufft.adjoint(there, found, ctx);
    EXPECT_LT(relative_difference(found, expected), 1e-5) << problem.image.to_string();
    // Added to existing values.
    nufft.adjoint(there, found, ctx, Write::accumulate);
    auto twice = fetched(expected);
    for (auto& value : twice) value *= 2;
    EXPECT_LT(relative_difference(found, twice), 1e-5) << problem.image.to_string();
  }
}

TYPED_TEST(RealSamples, TransformsTakeThemWithEitherSign) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  Context& ctx = this->ctx();
  const Index points = 90, modes = 41;
  const auto x = random_real({points, 1}, 0, 1, 3);
  const auto values = real_values<T>(points);
  for (const int sign : {-1, 1}) {
    Transform<T> transform(TransformType::points_to_modes, {modes},
                           {.tolerance = 1e-5, .sign = sign, .real_points = true});
    transform.set_points(copied_to(ctx.device(), x), ctx);
    Array<C> found({1, modes}, ctx.device());
    transform.execute(copied_to(ctx.device(), values.view().reshaped({1, points})), found, ctx);
    Array<D> exact({1, modes});
    for (Index n = 0; n < modes; ++n) {
      exact[n] = 0;
      for (Index j = 0; j < points; ++j)
        exact[n] += static_cast<double>(values[j].real()) *
                    std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(n - modes / 2) * x[j]);
    }
    EXPECT_LT(relative_difference(found, exact), 1e-5) << sign;
  }
}

TEST(RealSamplesOption, IsForTheAdjointAlone) {
  Context ctx;
  const auto k = random_real({5, 1}, -0.5, 0.5, 1);
  EXPECT_THAT(error_of([&] { Nufft<float>(k, {8}, {.real_samples = true}, ctx); }),
              testing::MatchesRegex("2: .*forward.*"));
}

}  // namespace
}  // namespace larmor::test
