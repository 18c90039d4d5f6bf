// The fast transform compared with exact sums: every tolerance, dimension, size and kind of point set.
#include "device_cases.hpp"
#include "error_of.hpp"

#include <larmor/operators/nufft/kernel/kernel.hpp>
#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/spread/spread.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

namespace larmor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

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

template <typename Case>
class NufftAccuracy : public OnDevice<Case> {
 protected:
  using Scalar = typename Case::T;

  /// Compares both directions with exact sums, for points [samples, dims] and weights, none if empty. Errors
  /// may be up to `allowed` tolerances.
  void expect_exact(const Array<double>& points, const Array<double>& weights, const Shape& image,
                    const std::vector<double>& tolerances, NufftOptions options = {}, unsigned seed = 1,
                    double allowed = 1) {
    const Index samples = points.shape()[0], coils = options.batch;
    const auto k = this->there(clone(points)),
               d = weights.empty() ? Array<double>() : this->there(clone(weights));
    const auto x = this->random(coils > 0 ? image.prepend(coils) : image, seed),
               y = this->random(coils > 0 ? Shape{coils, samples} : Shape{samples}, seed + 1);
    const Nudft<Scalar> exact(k, image, coils, d);
    const auto forward = exact.apply(x, this->ctx()), adjoint = exact.adjoint(y, this->ctx());
    for (const double tolerance : tolerances) {
      options.tolerance = tolerance;
      const Nufft<Scalar> nufft(k, d, image, options, this->ctx());
      SCOPED_TRACE(testing::Message() << samples << " points, image " << image.to_string() << ", " << coils
                                      << " coils, oversampling " << nufft.oversampling());
      EXPECT_GE(nufft.oversampling(), options.oversampling);
      EXPECT_LE(relative_difference(nufft.apply(x, this->ctx()), forward), allowed * tolerance);
      EXPECT_LE(relative_difference(nufft.adjoint(y, this->ctx()), adjoint), allowed * tolerance);
    }
  }
  /// From the largest tolerance on by factors of `step`, as far as the precision allows.
  static std::vector<double> decades(double largest, double smallest, double step = 10) {
    std::vector<double> all;
    for (double each = largest; each >= 0.9 * std::max(smallest, sizeof(Scalar) == 4 ? 1e-6 : 0);
         each /= step)
      all.push_back(each);
    return all;
  }
};
TYPED_TEST_SUITE(NufftAccuracy, DeviceCases, CaseNames);
template <typename Case>
class NufftFloat : public OnDevice<Case> {};
TYPED_TEST_SUITE(NufftFloat, FloatCases, CaseNames);
template <typename Case>
class NufftDouble : public OnDevice<Case> {};
TYPED_TEST_SUITE(NufftDouble, DoubleCases, CaseNames);

TYPED_TEST(NufftAccuracy, BothDirectionsMeetEveryTolerance) {
  for (const Shape& image :
       {Shape{64}, Shape{105}, Shape{16, 25}, Shape{33, 18}, Shape{8, 13, 10}, Shape{11, 6, 9}})
    for (const Points kind : {Points::random, Points::radial, Points::clustered, Points::edges})
      // Plans meet the tolerance in the mean of positions; `edges` has only six along each axis.
      this->expect_exact(make_points(kind, image, 525), {}, image,
                         this->decades(0.1, 1e-12, under_sanitizers ? 1e4 : 10), {}, 3,
                         kind == Points::edges ? 1.5 : 1);
}

// Blocks of coils, and a few, which share the cells of their own grid on a GPU.
TYPED_TEST(NufftAccuracy, CoilsInBlocksMeetTheTolerance) {
  for (const Shape& image : {Shape{50}, Shape{18, 21}, Shape{9, 12, 10}})
    for (const Index coils : {2, 5, 8, 19})
      this->expect_exact(make_points(Points::radial, image, 420), random_real({420}, 0, 3, 5), image, {1e-4},
                         {.batch = coils});
  for (const Shape& image : {Shape{301}, Shape{24, 33}, Shape{9, 12, 10}})
    for (const Index coils : {2, 3})
      this->expect_exact(random_real({3000, image.rank()}, -0.5, 0.5, 6), {}, image,
                         this->decades(1e-2, 1e-5), {.batch = coils});
}

TYPED_TEST(NufftAccuracy, AnyOversamplingMeetsTheTolerance) {
  const Shape image{24, 30};
  for (const double oversampling : {1.15, 1.25, 1.5, 2.0, 2.5})
    this->expect_exact(make_points(Points::random, image, 500), {}, image, {1e-2, 1e-4},
                       {.oversampling = oversampling});
}

// Small grids need wide kernels; the polynomials of the second kernel have the highest possible degrees.
TYPED_TEST(NufftAccuracy, WideKernelsOfAnyDegreeMeetTheTolerance) {
  this->expect_exact(random_real({8009, 2}, -0.5, 0.5, 6), {}, {24, 33},
                     this->decades(1e-2, sizeof(typename TypeParam::T) == 4 ? 1e-4 : 1e-9),
                     {.oversampling = 1.25});
}

TYPED_TEST(NufftFloat, SmallGridTakesLessScratchAtTheSameTolerance) {
  Context& ctx = this->ctx();
  Context cpu(Device::cpu(), {.threads = 2});
  const Shape image{32, 30, 28};
  const auto k = make_points(Points::random, image, 50);
  const auto x = random_complex<float>(image, 3);
  const Nufft<float> fast(k, image, {.tolerance = 1e-3, .oversampling = 2}, ctx);
  const Nufft<float> small(k, image, {.tolerance = 1e-3, .small_grid = true}, ctx);
  EXPECT_LT(small.scratch_bytes(ctx), fast.scratch_bytes(ctx) / 2);
  const auto found = small.apply(this->there(clone(x)), ctx);
  EXPECT_LE(relative_difference(found, Nudft<float>(k, image).apply(x, cpu)), 1e-3);
}

TYPED_TEST(NufftFloat, BytesAreKnownBeforeThereArePoints) {
  Context& ctx = this->ctx();
  for (const Shape& image : {Shape{48, 50}, Shape{20, 22, 24}})
    for (const bool small_grid : {false, true}) {
      const NufftOptions options{.tolerance = 1e-3, .batch = 5, .small_grid = small_grid};
      const Index samples = 20000;
      auto points = make_points(Points::random, image, samples);
      // Half of them are clustered in one place, as around the centre of k-space.
      for (Index i = 0; i < points.size() / 2; ++i) points[i] = 0.25 + 0.01 * points[i];
      const Nufft<float> nufft(points, image, options, ctx);
      EXPECT_EQ(nufft.scratch_bytes(ctx), Nufft<float>::scratch_bytes(image, samples, options, ctx));
      const auto planned =
          static_cast<double>(Nufft<float>::table_bytes(image, samples, options, false, ctx));
      EXPECT_NEAR(static_cast<double>(nufft.table_bytes()) / planned, 1, 0.02)
          << image.to_string() << " " << small_grid;
    }
}

TYPED_TEST(NufftDouble, CoordinatesArePeriodic) {
  const Shape image{20, 14};
  const auto k = make_points(Points::random, image, 100);
  auto moved = clone(k);
  for (Index j = 0; j < 100; ++j) moved[2 * j] += static_cast<double>(j % 7 - 3), moved[2 * j + 1] -= 2;
  const auto x = this->random(image, 3);
  const Nufft<double> a(k, image, {.tolerance = 1e-9}, this->ctx());
  const Nufft<double> b(moved, image, {.tolerance = 1e-9}, this->ctx());
  EXPECT_LT(relative_difference(b.apply(x, this->ctx()), a.apply(x, this->ctx())), 1e-12);
}

TYPED_TEST(NufftFloat, KeepsTheCoordinatesGivenOnLongAxes) {
  // 2^20 pixels: with float coordinates the cell would be wrong. One bright pixel far from the centre has a
  // closed form.
  const Index n = Index{1} << 20;
  const auto k = random_real({1000, 1}, -0.5, 0.5, 5);
  auto x = filled<std::complex<float>>({n}, 0);
  const Index pixel = 17;
  x[pixel] = 1;
  const Nufft<float> nufft(k, {n}, {.tolerance = 1e-5, .scaled = false}, this->ctx());
  const auto y = nufft.apply(this->there(std::move(x)), this->ctx());
  Array<std::complex<double>> exact({1000});
  for (Index j = 0; j < 1000; ++j)
    exact[j] = std::polar(
        1.0, -2 * std::numbers::pi * std::remainder(k[j] * static_cast<double>(pixel - n / 2), 1.0));
  EXPECT_LT(relative_difference(y, exact), 1e-5);
}

TYPED_TEST(NufftDouble, ScalingIsOneOverRootPixelsAndDensityItsRoot) {
  Context& ctx = this->ctx();
  const Shape image{6, 6};
  const auto k = filled<double>({1, 2}, 0.0);
  const auto d = filled<double>({1}, 9.0);
  const auto x = this->there(filled<std::complex<double>>(image, {1.0, 0.0}));
  const auto magnitude = [&](const Nufft<double>& nufft) {
    return std::abs(fetched(nufft.apply(x, ctx))[0]);
  };
  EXPECT_NEAR(magnitude(Nufft<double>(k, image, {.tolerance = 1e-9}, ctx)), 6, 1e-6);
  EXPECT_NEAR(magnitude(Nufft<double>(k, d, image, {.tolerance = 1e-9}, ctx)), 18, 1e-6);
  EXPECT_NEAR(magnitude(Nufft<double>(k, image, {.tolerance = 1e-9, .scaled = false}, ctx)), 36, 1e-5);
}

TYPED_TEST(NufftFloat, MeasuredErrorIsReportedAndWithinTolerance) {
  const Shape image{30, 40};
  const auto k = make_points(Points::random, image, 3000);
  for (const double tolerance : {1e-2, 1e-4}) {
    const Nufft<float> nufft(k, image, {.tolerance = tolerance, .batch = 8}, this->ctx());
    const double error = nufft.measured_error(this->ctx());
    EXPECT_LE(error, tolerance);
    EXPECT_GT(error, 0.01 * tolerance);
  }
}

TYPED_TEST(NufftFloat, CrowdedTilesGiveTheSameBitsForAnyNumberOfThreads) {
  Context cpu(Device::cpu(), {.threads = 2});
  Context one = this->context({.threads = 1, .deterministic = true});
  Context four = this->context({.threads = 4, .deterministic = true});
  for (const Shape& image : {Shape{40, 40}, Shape{400}}) {
    const auto k = make_points(Points::clustered, image, 40000);
    const auto y = random_complex<float>({8, 40000}, 2);
    const auto there = copied_to(this->device(), y);
    const Nufft<float> nufft(k, image, {.tolerance = 1e-3, .batch = 8}, one);
    const auto a = nufft.adjoint(there, one);
    for (int run = 0; run < 3; ++run) EXPECT_TRUE(same_bits(a, nufft.adjoint(there, four)));
    // A second plan sorts the same points again.
    const Nufft<float> again(k, image, {.tolerance = 1e-3, .batch = 8}, four);
    EXPECT_TRUE(same_bits(a, again.adjoint(there, four)));
    EXPECT_LT(relative_difference(a, Nudft<float>(k, image, 8).adjoint(y, cpu)), 1e-3);
  }
}

// Blocks of tiles in the sparse part of k-space, single tiles in the dense part.
TYPED_TEST(NufftFloat, UnevenPointsAreTheSameForAnyThreadsAndWithOtherCoils) {
  Context one = this->context({.threads = 1, .deterministic = true});
  Context four = this->context({.threads = 4, .deterministic = true});
  const Shape image{400, 380};
  const Index samples = 80000;
  auto k = random_real({samples, 2}, -0.5, 0.5, 6);
  for (Index i = 0; i < k.size() * 3 / 4; ++i) k[i] = 0.1 * k[i] + 0.05;
  const auto y = this->there(random_complex<float>({5, samples}, 2));
  const Nufft<float> nufft(k, image, {.tolerance = 1e-4}, one);
  const auto a = nufft.adjoint(y.view().slice(0), one);
  EXPECT_TRUE(same_bits(a, nufft.adjoint(y.view().slice(0), four)));
  const Nufft<float> of_coils(k, image, {.tolerance = 1e-4, .batch = 5}, one);
  const auto all = of_coils.adjoint(y, one);
  EXPECT_LT(relative_difference(a, clone(all.view().slice(0))), 2e-4);
}

TYPED_TEST(NufftAccuracy, EveryPointInOneCellMeetsTheTolerance) {
  for (const Shape& image : {Shape{64}, Shape{16, 20}, Shape{8, 10, 12}})
    this->expect_exact(random_real({5000, image.rank()}, 0.2, 0.2 + 1e-3, 6), {}, image, {1e-3},
                       {.batch = 2});
}

// With this many points a GPU processes those of a bin together in two dimensions, and those of a cell in
// one: with any width, with weights, around the edge, in few bins, and in one cell.
TYPED_TEST(NufftAccuracy, ManyPointsOfABinMeetTheTolerance) {
  for (const Shape& image : {Shape{24, 33}, Shape{501}})
    for (const double extent : {1.3, 0.1, 0.0})
      this->expect_exact(random_real({8009, image.rank()}, -0.6, -0.6 + extent + 1e-12, 6),
                         random_real({8009}, 0, 2, 3), image,
                         this->decades(1e-2, sizeof(typename TypeParam::T) == 4 ? 1e-5 : 1e-11));
}

// With this many points a GPU sums the moments of each cell, in several runs of samples: spread out, with
// weights, in few cells, and in one.
TYPED_TEST(NufftAccuracy, ManyPointsOfACellMeetTheTolerance) {
  using T = typename TypeParam::T;
  const Index samples = (sizeof(T) == 4 ? 2200000 : 1100000) / (under_sanitizers ? 10 : 1);
  const auto y = this->random({samples}, 2);
  for (const double extent : {1.0, 0.02, 0.0}) {
    const auto k = this->there(random_real({samples, 1}, 0.4, 0.4 + extent + 1e-12, 6));
    const auto d = this->there(random_real({samples}, 0, 2, 3));
    const Shape image{7};
    const double tolerance = sizeof(T) == 4 ? 1e-4 : 1e-11;
    const Nufft<T> nufft(k, d, image, {.tolerance = tolerance}, this->ctx());
    const auto found = nufft.adjoint(y, this->ctx());
    EXPECT_LE(relative_difference(found, Nudft<T>(k, image, 0, d).adjoint(y, this->ctx())), tolerance)
        << extent;
    EXPECT_TRUE(same_bits(found, nufft.adjoint(y, this->ctx())));
  }
}

// A GPU spreads the smaller number by cells, the larger one possibly by moments.
TYPED_TEST(NufftAccuracy, ThreeAndTwentyPointsOfACellMeetTheTolerance) {
  for (const Index samples : {6000, 40000})
    this->expect_exact(random_real({samples, 1}, -0.5, 0.5, 6), {}, {1001},
                       {1e-3, sizeof(typename TypeParam::T) == 4 ? 1e-5 : 1e-9});
}

// In one dimension a GPU sums the points of each cell, in several runs of samples, or uses tiles if a few
// cells hold most of the points. It sorts buckets of cells, unless a bucket holds too many. Grids of odd
// lengths.
TYPED_TEST(NufftAccuracy, SumsOfCellsAreTheAdjointOfInterpolation) {
  using T = typename TypeParam::T;
  const Index many = under_sanitizers ? 100000 : 2200000;  // one run of samples, or two
  for (const auto& [samples, pixels, extent] : {std::tuple{Index{30000}, Index{22029}, 1.0},
                                                {Index{500}, Index{40001}, 1.0},
                                                {Index{40000}, Index{40001}, 1e-3},
                                                {Index{300000}, Index{400009}, 1.0},
                                                {Index{10000}, Index{400009}, 1e-5},
                                                {many, Index{400009}, 1.0},
                                                {many, Index{30011}, 1.0},
                                                {many, Index{30011}, 1e-3},
                                                {Index{3000}, Index{89}, 1.0}}) {
    const auto k = this->there(random_real({samples, 1}, 0.4, 0.4 + extent, 6));
    const auto d = this->there(random_real({samples}, 0, 2, 3));
    const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-12;
    const Nufft<T> nufft(k, d, Shape{pixels}, {.tolerance = tolerance}, this->ctx());
    const auto x = this->random({pixels}, 1), y = this->random({samples}, 2);
    const auto forward = nufft.apply(x, this->ctx()), adjoint = nufft.adjoint(y, this->ctx());
    const auto a = dot<T>(forward, y, this->ctx()), b = dot<T>(x, adjoint, this->ctx());
    const double size = std::sqrt(squared_norm<T>(forward, this->ctx()) * squared_norm<T>(y, this->ctx()));
    EXPECT_LE(std::abs(a - b), (sizeof(T) == 4 ? 2e-6 : 1e-14) * size)
        << samples << ' ' << pixels << ' ' << extent;
    EXPECT_TRUE(same_bits(adjoint, nufft.adjoint(y, this->ctx())));
  }
}

TYPED_TEST(NufftAccuracy, OneSampleAndOnePixelAreTransforms) {
  for (const Shape& image : {Shape{1}, Shape{1, 1}, Shape{1, 7}, Shape{2, 1, 3}, Shape{1, 1, 1}})
    for (const Index samples : {1, 33})
      this->expect_exact(random_real({samples, image.rank()}, -0.5, 0.5, 6), {}, image, {1e-4});
}

// Fewer exact sums may need more memory, because each is split into more parts.
TYPED_TEST(NufftAccuracy, ExactSumsKnowTheirMemory) {
  using T = typename TypeParam::T;
  for (const auto& [samples, pixels] : {std::pair<Index, Index>{512, 600}, {600, 512}, {768, 900}}) {
    Context fresh(this->device());
    const auto k = this->there(random_real({samples, 1}, -0.5, 0.5, 6));
    const Nudft<T> exact(k, {pixels});
    EXPECT_NO_THROW(exact.apply(this->random({pixels}, 1), fresh));
    EXPECT_NO_THROW(exact.adjoint(this->random({samples}, 2), fresh));
  }
}

// CUDA limits a launch to 65535 blocks along y and z.
TYPED_TEST(NufftFloat, HundredsOfThousandsOfSmallImages) {
  const Index images = under_sanitizers ? 1000 : 600000, pixels = 8, samples = 5;
  const auto k = this->there(random_real({samples, 1}, -0.5, 0.5, 1));
  const Nufft<float> all(k, {pixels}, {.batch = images}, this->ctx()), one(k, {pixels}, {}, this->ctx());
  const auto x = this->random({images, pixels}, 2), y = this->random({images, samples}, 3);
  const auto forward = all.apply(x, this->ctx()), adjoint = all.adjoint(y, this->ctx()),
             normal = all.normal(this->ctx()).apply(x, this->ctx());
  const Nudft<float> exact(k, {pixels}, images);
  const auto exact_forward = exact.apply(x, this->ctx()), exact_adjoint = exact.adjoint(y, this->ctx());
  for (const Index image : {Index{0}, images / 2, images - 1}) {
    const auto of = [image](const auto& array) { return array.view().slice(image); };
    const auto there = one.apply(of(x), this->ctx());
    EXPECT_LE(relative_difference(of(forward), there), 1e-5);
    EXPECT_LE(relative_difference(of(adjoint), one.adjoint(of(y), this->ctx())), 1e-5);
    EXPECT_LE(relative_difference(of(normal), one.adjoint(there, this->ctx())), 2e-3);
    EXPECT_LE(relative_difference(of(forward), of(exact_forward)), 2e-3);
    EXPECT_LE(relative_difference(of(adjoint), of(exact_adjoint)), 2e-3);
  }
}

TYPED_TEST(NufftDouble, ImagesOfHundredsOfThousandsOfRows) {
  const Index rows = under_sanitizers ? 1000 : 300000, samples = under_sanitizers ? 1 << 12 : 1 << 21;
  const Shape image{rows, 5};
  const auto k = random_real({samples, 2}, -0.5, 0.5, 1);
  const auto y = this->random({samples}, 2);
  const auto x =
      Nufft<double>(this->there(clone(k)), image, {.tolerance = 1e-6}, this->ctx()).adjoint(y, this->ctx());
  Context cpu(Device::cpu(), {.threads = 2});
  const auto expected = Nufft<double>(k, image, {.tolerance = 1e-9}, cpu).adjoint(fetched(y), cpu);
  EXPECT_LE(relative_difference(x, expected), 1e-6);
}

TYPED_TEST(NufftFloat, NoSamplesGiveAZeroImage) {
  using C = std::complex<float>;
  const Nufft<float> nufft(Array<double>({0, 2}), {8, 8}, {}, this->ctx());
  auto x = this->random({8, 8}, 1);
  nufft.adjoint(Array<C>({0}, this->device()), x, this->ctx());
  for (const auto& value : fetched(x)) EXPECT_EQ(value, C(0));
  EXPECT_EQ(nufft.apply(x, this->ctx()).size(), 0);
}

// The message of the error that make() throws, which must not leak memory.
template <typename Make>
std::string message_of(const Make& make) {
  const auto memory = [] {
    return memory_use(Device::Kind::cpu).current_bytes + memory_use(Device::Kind::cuda).current_bytes;
  };
  const std::size_t before = memory();
  const std::string message = error_of(make);
  EXPECT_EQ(memory(), before);
  return message;
}

TYPED_TEST(NufftFloat, ImpossibleRequestsSayWhatIsPossible) {
  Context& ctx = this->ctx();
  const auto k = make_points(Points::random, {8, 8}, 10);
  const auto make = [&](NufftOptions options) {
    return [&, options] { Nufft<float>(k, {8, 8}, options, ctx); };
  };
  EXPECT_THAT(message_of(make({.tolerance = 1e-9})), AllOf(StartsWith("2: "), HasSubstr("the best is")));
  EXPECT_THAT(message_of(make({.tolerance = 0})), AllOf(StartsWith("2: "), HasSubstr("between 0 and 1")));
  EXPECT_THAT(message_of(make({.tolerance = std::nan("")})),
              AllOf(StartsWith("2: "), HasSubstr("between 0 and 1")));
  EXPECT_THAT(message_of(make({.oversampling = 1.0})),
              AllOf(StartsWith("2: "), HasSubstr("between 1.15 and 2.5")));
  auto bad = clone(k);
  bad[7] = std::nan("");
  EXPECT_THAT(message_of([&] {
                Nufft<float>(bad, {8, 8}, {}, ctx);
              }),
              AllOf(StartsWith("3: "), HasSubstr("at sample 3")));
  const auto negative = filled<double>({10}, -1.0);
  EXPECT_THAT(message_of([&] {
                Nufft<float>(k, negative, {8, 8}, {}, ctx);
              }),
              AllOf(StartsWith("3: "), HasSubstr("density weight 0 is -1")));
}

TEST(Spread, AnInstructionSetWasChosen) {
  EXPECT_THAT(std::string(nufft::instruction_set()), testing::AnyOf("portable", "avx2", "avx512"));
}

}  // namespace
}  // namespace larmor::test
