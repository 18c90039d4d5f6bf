// The fast transform against exact sums: every tolerance, dimension, size and kind of point set.
#include "random_arrays.hpp"

#include <larmor/operators/nufft/kernel.hpp>
#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/spread.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

namespace larmor::test {
namespace {

using testing::HasSubstr;

enum class Points { random, radial, clustered, edges };

Array<double> make_points(Points kind, const Shape& image, Index samples) {
  const Index dims = image.rank();
  auto k = random_real({samples, dims}, -0.5, 0.5, 17);
  for (Index j = 0; j < samples; ++j)
    for (Index a = 0; a < dims; ++a) {
      double& value = k[j * dims + a];
      if (kind == Points::radial) {  // spokes through the centre, both ends included
        const double radius = static_cast<double>(j % 21) / 20 - 0.5,
                     angle = 2.4 * static_cast<double>(j / 21);
        value = radius * (a == 0 ? std::cos(angle) : a == 1 ? std::sin(angle) : std::sin(1.7 * angle));
      } else if (kind == Points::clustered) {  // within 8 cells of the twofold grid, on an edge between tiles
        value = value * 8 / (2 * static_cast<double>(image[static_cast<int>(dims - 1 - a)])) + 0.25;
      } else if (kind == Points::edges) {
        const double corners[] = {-0.5, 0.5, 0.0, 0.25, -0.4999999, 0.4999999};
        value = corners[(j + a * (j / 6)) % 6];
      }
    }
  return k;
}

template <typename T>
class NufftAccuracy : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(NufftAccuracy, Precisions);

TYPED_TEST(NufftAccuracy, BothDirectionsMeetEveryTolerance) {
  using T = TypeParam;
  Context ctx(Device::cpu(), {.threads = 2});
  const Shape shapes[] = {{64}, {105}, {16, 25}, {33, 18}, {8, 13, 10}, {11, 6, 9}};
  const int last_decade = sizeof(T) == 4 ? 6 : 12;
  for (const Shape& image : shapes)
    for (const Points kind : {Points::random, Points::radial, Points::clustered, Points::edges}) {
      const Index samples = 21 * 25;
      const auto k = make_points(kind, image, samples);
      const Nudft<T> exact(k, image);
      const auto x = random_complex<T>(image, 3), y = random_complex<T>({samples}, 4);
      const auto forward = exact.apply(x, ctx), adjoint = exact.adjoint(y, ctx);
      for (int decade = 1; decade <= last_decade; decade += decade < 6 ? 1 : 2) {
        const double tolerance = std::pow(10.0, -decade);
        const Nufft<T> nufft(k, image, {.tolerance = tolerance}, ctx);
        EXPECT_LE(relative_difference(nufft.apply(x, ctx), forward), tolerance)
            << "forward " << image.to_string() << " points " << static_cast<int>(kind);
        EXPECT_LE(relative_difference(nufft.adjoint(y, ctx), adjoint), tolerance)
            << "adjoint " << image.to_string() << " points " << static_cast<int>(kind);
      }
    }
}

TYPED_TEST(NufftAccuracy, AnyOversamplingMeetsTheTolerance) {
  using T = TypeParam;
  Context ctx(Device::cpu(), {.threads = 2});
  const Shape image{24, 30};
  const auto k = make_points(Points::random, image, 500);
  const auto x = random_complex<T>(image, 3);
  const auto exact = Nudft<T>(k, image).apply(x, ctx);
  for (const double oversampling : {1.15, 1.25, 1.5, 2.0, 2.5})
    for (const double tolerance : {1e-2, 1e-4}) {
      const Nufft<T> nufft(k, image, {.tolerance = tolerance, .oversampling = oversampling}, ctx);
      EXPECT_GE(nufft.oversampling(), oversampling);
      EXPECT_LE(relative_difference(nufft.apply(x, ctx), exact), tolerance) << oversampling;
    }
}

TEST(Nufft, SmallGridTakesLessScratchAtTheSameTolerance) {
  Context ctx(Device::cpu(), {.threads = 2});
  const Shape image{32, 30, 28};
  const auto k = make_points(Points::random, image, 50);
  const auto x = random_complex<float>(image, 3);
  const Nufft<float> fast(k, image, {.tolerance = 1e-3, .oversampling = 2}, ctx);
  const Nufft<float> small(k, image, {.tolerance = 1e-3, .small_grid = true}, ctx);
  EXPECT_LT(small.scratch_bytes(ctx), fast.scratch_bytes(ctx) / 2);
  EXPECT_LE(relative_difference(small.apply(x, ctx), Nudft<float>(k, image).apply(x, ctx)), 1e-3);
}

TEST(Nufft, CoordinatesArePeriodic) {
  Context ctx(Device::cpu(), {.threads = 1});
  const Shape image{20, 14};
  const auto k = make_points(Points::random, image, 100);
  auto moved = clone(k);
  for (Index j = 0; j < 100; ++j) moved[2 * j] += static_cast<double>(j % 7 - 3), moved[2 * j + 1] -= 2;
  const auto x = random_complex<double>(image, 3);
  const Nufft<double> a(k, image, {.tolerance = 1e-9}, ctx), b(moved, image, {.tolerance = 1e-9}, ctx);
  EXPECT_LT(relative_difference(b.apply(x, ctx), a.apply(x, ctx)), 1e-12);
}

TEST(Nufft, FloatKeepsTheCoordinatesGivenOnLongAxes) {
  // 2^20 pixels: a coordinate in float would be wrong by a cell. One bright pixel far out has a closed form.
  Context ctx(Device::cpu(), {.threads = 2});
  const Index n = Index{1} << 20;
  const auto k = random_real({1000, 1}, -0.5, 0.5, 5);
  auto x = filled<std::complex<float>>({n}, 0);
  const Index pixel = 17;
  x[pixel] = 1;
  const auto y = Nufft<float>(k, {n}, {.tolerance = 1e-5, .scaled = false}, ctx).apply(x, ctx);
  Array<std::complex<double>> exact({1000});
  for (Index j = 0; j < 1000; ++j)
    exact[j] = std::polar(
        1.0, -2 * std::numbers::pi * std::remainder(k[j] * static_cast<double>(pixel - n / 2), 1.0));
  EXPECT_LT(relative_difference(y, exact), 1e-5);
}

TEST(Nufft, ScalingIsOneOverRootPixelsAndDensityItsRoot) {
  Context ctx(Device::cpu(), {.threads = 1});
  const Shape image{6, 6};
  auto k = filled<double>({1, 2}, 0.0);
  auto d = filled<double>({1}, 9.0);
  const auto x = filled<std::complex<double>>(image, {1.0, 0.0});
  EXPECT_NEAR(std::abs(Nufft<double>(k, image, {.tolerance = 1e-9}, ctx).apply(x, ctx)[0]), 6, 1e-6);
  EXPECT_NEAR(std::abs(Nufft<double>(k, d, image, {.tolerance = 1e-9}, ctx).apply(x, ctx)[0]), 18, 1e-6);
  EXPECT_NEAR(std::abs(Nufft<double>(k, image, {.tolerance = 1e-9, .scaled = false}, ctx).apply(x, ctx)[0]),
              36, 1e-5);
}

TEST(Nufft, MeasuredErrorIsReportedAndWithinTolerance) {
  Context ctx(Device::cpu(), {.threads = 2});
  const Shape image{30, 40};
  const auto k = make_points(Points::random, image, 3000);
  for (const double tolerance : {1e-2, 1e-4}) {
    const Nufft<float> nufft(k, image, {.tolerance = tolerance, .batch = 8}, ctx);
    const double error = nufft.measured_error(ctx);
    EXPECT_LE(error, tolerance);
    EXPECT_GT(error, 0.01 * tolerance);
  }
}

TEST(Nufft, CrowdedTilesGiveTheSameBitsForAnyNumberOfThreads) {
  const Shape image{40, 40};
  const auto k = make_points(Points::clustered, image, 40000);
  const auto y = random_complex<float>({8, 40000}, 2);
  Context one(Device::cpu(), {.threads = 1}), four(Device::cpu(), {.threads = 4});
  const Nufft<float> nufft(k, image, {.tolerance = 1e-3, .batch = 8}, one);
  const auto a = nufft.adjoint(y, one), b = nufft.adjoint(y, four);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.view().bytes()), 0);
  EXPECT_LT(relative_difference(a, Nudft<float>(k, image, 8).adjoint(y, four)), 1e-3);
}

TEST(Nufft, NoSamplesGiveAZeroImage) {
  Context ctx(Device::cpu(), {.threads = 2});
  const Nufft<float> nufft(Array<double>({0, 2}), {8, 8}, {}, ctx);
  const auto x = nufft.adjoint(Array<std::complex<float>>({0}), ctx);
  for (const auto& value : x) EXPECT_EQ(value, std::complex<float>(0));
}

template <typename Make>
std::string message_of(ErrorClass expected, const Make& make) {
  try {
    make();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), expected);
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Nufft, ImpossibleRequestsSayWhatIsPossible) {
  Context ctx(Device::cpu(), {.threads = 1});
  const auto k = make_points(Points::random, {8, 8}, 10);
  const auto make = [&](NufftOptions options) {
    return [&, options] { Nufft<float>(k, {8, 8}, options, ctx); };
  };
  EXPECT_THAT(message_of(ErrorClass::usage, make({.tolerance = 1e-9})), HasSubstr("the best is"));
  EXPECT_THAT(message_of(ErrorClass::usage, make({.tolerance = 0})), HasSubstr("between 0 and 1"));
  EXPECT_THAT(message_of(ErrorClass::usage, make({.tolerance = std::nan("")})), HasSubstr("between 0 and 1"));
  EXPECT_THAT(message_of(ErrorClass::usage, make({.oversampling = 1.0})), HasSubstr("between 1.15 and 2.5"));
  auto bad = clone(k);
  bad[7] = std::nan("");
  EXPECT_THAT(message_of(ErrorClass::input,
                         [&] {
                           Nufft<float>(bad, {8, 8}, {}, ctx);
                         }),
              HasSubstr("at sample 3"));
  const auto negative = filled<double>({10}, -1.0);
  EXPECT_THAT(message_of(ErrorClass::input,
                         [&] {
                           Nufft<float>(k, negative, {8, 8}, {}, ctx);
                         }),
              HasSubstr("density weight 0 is -1"));
}

TEST(Kernel, TransformIsTheIntegralOfTheKernel) {
  const nufft::Kernel kernel(5, 1.7);
  for (const double frequency : {0.0, 0.1, 0.29, 0.8, 1.3}) {
    double sum = 0;
    const int steps = 200000;
    for (int i = 0; i < steps; ++i) {
      const double x = (i + 0.5) / steps * 5 - 2.5;
      sum += kernel(x) * std::cos(2 * std::numbers::pi * frequency * x) * 5 / steps;
    }
    EXPECT_NEAR(kernel.transform(frequency), sum, 1e-8);
  }
}

TEST(Kernel, PolynomialsReproduceIt) {
  const nufft::Kernel kernel(6, 2.0);
  const auto p = nufft::fit<double>(kernel, 1e-9);
  for (int l = 0; l < 6; ++l)
    for (const double f : {0.0, 0.13, 0.5, 0.77, 0.999}) {
      double value = 0;
      for (int d = 0; d <= p.degree; ++d)
        value = value * (2 * f - 1) + p.coefficients[static_cast<std::size_t>(d * p.stride + l)];
      EXPECT_NEAR(value, kernel(l + f - 3.0), 2e-9);
    }
}

TEST(Spread, AnInstructionSetWasChosen) {
  EXPECT_THAT(std::string(nufft::instruction_set()), testing::AnyOf("portable", "avx2", "avx512"));
}

}  // namespace
}  // namespace larmor::test
