// The Toeplitz normal operator compared with exact sums and with forward-adjoint.
#include "device_cases.hpp"
#include "peak_memory.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace larmor::test {
namespace {

template <typename Case>
class ToeplitzDouble : public OnDevice<Case> {};
TYPED_TEST_SUITE(ToeplitzDouble, DoubleCases, CaseNames);
template <typename Case>
class ToeplitzFloat : public OnDevice<Case> {};
TYPED_TEST_SUITE(ToeplitzFloat, FloatCases, CaseNames);

TYPED_TEST(ToeplitzDouble, MeetsTheToleranceOfItsNufft) {
  Context cpu(Device::cpu(), {.threads = 2});
  for (const Shape& image : {Shape{30}, Shape{13, 18}, Shape{7, 9, 6}}) {
    const auto k = random_real({300, image.rank()}, -0.5, 0.5, 1);
    const auto d = random_real({300}, 0, 3, 2);
    const auto x = random_complex<double>(image, 3);
    const Nudft<double> exact(k, image, 0, d);
    const auto expected = exact.adjoint(exact.apply(x, cpu), cpu);
    const auto k_there = copied_to(this->device(), k), d_there = copied_to(this->device(), d);
    for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-9}) {
      const auto normal =
          Nufft<double>(k_there, d_there, image, {.tolerance = tolerance}, this->ctx()).normal(this->ctx());
      EXPECT_EQ(normal.name(), "Toeplitz");
      EXPECT_LE(relative_difference(normal.apply(this->there(clone(x)), this->ctx()), expected), tolerance)
          << image.to_string();
    }
  }
}

TYPED_TEST(ToeplitzFloat, MeetsTheToleranceOfItsNufft) {
  Context cpu(Device::cpu(), {.threads = 2});
  for (const Shape& image : {Shape{45}, Shape{20, 15}, Shape{7, 12, 8}})
    for (const Index coils : {1, 5}) {
      const auto k = random_real({300, image.rank()}, -0.5, 0.5, 1);
      const auto x = random_complex<float>(image.prepend(coils), 3);
      const Nudft<float> exact(k, image, coils);
      const auto expected = exact.adjoint(exact.apply(x, cpu), cpu);
      for (const double tolerance : {1e-2, 1e-4}) {
        const Nufft<float> nufft(k, image, {.tolerance = tolerance, .batch = coils}, this->ctx());
        const auto found = nufft.normal(this->ctx()).apply(this->there(clone(x)), this->ctx());
        EXPECT_LE(relative_difference(found, expected), tolerance) << image.to_string() << coils;
      }
    }
}

TYPED_TEST(ToeplitzDouble, EqualsForwardAdjointToRoundingAtATightTolerance) {
  Context& ctx = this->ctx();
  const Shape image{21, 16};
  const auto k = random_real({500, 2}, -0.5, 0.5, 1);
  const auto x = this->random(image, 3);
  const Nufft<double> nufft(k, image, {.tolerance = 1e-12}, ctx);
  EXPECT_LT(relative_difference(nufft.normal(ctx).apply(x, ctx), nufft.adjoint(nufft.apply(x, ctx), ctx)),
            3e-12);
  const auto xf = this->there(converted<std::complex<float>>(fetched(x).view()));
  const Nufft<float> single(k, image, {.tolerance = 1e-6}, ctx);
  EXPECT_LT(
      relative_difference(single.normal(ctx).apply(xf, ctx), single.adjoint(single.apply(xf, ctx), ctx)),
      2e-6);
}

// A CPU convolves small volumes in slabs, and large ones line by line.
TYPED_TEST(ToeplitzDouble, OfSmallAndLargeVolumesIsForwardAdjoint) {
  // On a CPU the small one has slabs for two threads.
  Context ctx(this->device(), {.threads = 2});
  for (const Shape& image : {Shape{20, 24, 8}, Shape{96, 100, 4}}) {
    const auto k = this->there(random_real({200, 3}, -0.5, 0.5, 1));
    const auto x = this->random(image.prepend(3), 3);
    const Nufft<double> nufft(k, image, {.tolerance = 1e-9, .batch = 3}, ctx);
    const auto expected = nufft.adjoint(nufft.apply(x, ctx), ctx);
    EXPECT_LT(relative_difference(Toeplitz<double>(k, {}, image, 3, 1e-9, true, ctx).apply(x, ctx), expected),
              3e-9)
        << image.to_string();
  }
}

// Points whose coordinate along x, y or z is a frequency of the image, as the bits say.
Array<double> points_on_grid(const Shape& image, int axes, Index count) {
  const Index dims = image.rank();
  auto k = random_real({count, dims}, -0.5, 0.5, 1);
  for (Index j = 0; j < count; ++j)
    for (int a = 0; a < dims; ++a)
      if (axes >> a & 1) {
        const auto n = static_cast<double>(image[static_cast<int>(dims - 1 - a)]);
        k[j * dims + a] = std::round(k[j * dims + a] * n) / n;
      }
  return k;
}

TYPED_TEST(ToeplitzDouble, IsCircularAlongAxesOfWhichAllSamplesAreOnTheGrid) {
  Context& ctx = this->ctx();
  for (const Shape& image : {Shape{32}, Shape{12, 16}, Shape{6, 8, 10}, Shape{20, 24, 8}})
    for (int axes = 0; axes < 1 << image.rank(); ++axes) {
      const auto k = this->there(points_on_grid(image, axes, 300));
      const auto d = this->there(random_real({300}, 0, 3, 2));
      const auto x = this->random(image.prepend(3), 3);
      const Nufft<double> nufft(k, d, image, {.tolerance = 1e-9, .batch = 3}, ctx);
      const Toeplitz<double> normal(k, d, image, 3, 1e-9, true, ctx);
      EXPECT_LT(relative_difference(normal.apply(x, ctx), nufft.adjoint(nufft.apply(x, ctx), ctx)), 3e-9)
          << image.to_string() << axes;
      const std::size_t padded = Toeplitz<double>::table_bytes(image, ctx);
      const auto unpadded = sizeof(double) * static_cast<std::size_t>(image.size());
      const bool all = axes == (1 << image.rank()) - 1;
      EXPECT_GE(normal.table_bytes(), all ? unpadded : unpadded + 1);
      EXPECT_LE(normal.table_bytes(), axes == 0 ? padded : padded - 1);
    }
}

TYPED_TEST(ToeplitzDouble, OfAPartOfTheImageIsTheMiddleOfThatOfTheWhole) {
  Context& ctx = this->ctx();
  const Shape whole{24, 20, 16}, part{18, 12, 6};
  for (int axes = 0; axes < 8; ++axes) {
    const auto k = this->there(points_on_grid(whole, axes, 300));
    const auto x = this->random(part, 3);
    const Pad<double> pad(part, whole);
    const Nufft<double> nufft(k, whole, {.tolerance = 1e-9}, ctx);
    const auto padded = pad.apply(x, ctx);
    EXPECT_LT(relative_difference(Toeplitz<double>(k, {}, part, 0, 1e-9, true, ctx, whole).apply(x, ctx),
                                  pad.adjoint(nufft.adjoint(nufft.apply(padded, ctx), ctx), ctx)),
              3e-9)
        << axes;
  }
}

TYPED_TEST(ToeplitzDouble, IsNotCircularForSamplesNextToTheGrid) {
  Context& ctx = this->ctx();
  const Shape image{16, 16};
  auto k = points_on_grid(image, 3, 300);
  k[17] += 1e-7;
  const Toeplitz<double> exact(this->there(clone(k)), {}, image, 0, 1e-9, true, ctx);
  const Toeplitz<double> rough(this->there(clone(k)), {}, image, 0, 1e-3, true, ctx);
  EXPECT_GT(exact.table_bytes(), rough.table_bytes());
  EXPECT_EQ(rough.table_bytes(), sizeof(double) * 256U);
}

// The smallest tolerance for which single precision is used, with axes of any length.
TYPED_TEST(ToeplitzFloat, IsThatOfDoublePrecisionToItsTolerance) {
  Context& ctx = this->ctx();
  const double tolerance = 2e-6;
  for (const Shape& image : {Shape{1}, Shape{2}, Shape{7}, Shape{1000}, Shape{1, 9}, Shape{64, 3},
                             Shape{33, 31}, Shape{1, 1, 4}, Shape{5, 9, 2}, Shape{17, 12, 15}}) {
    auto points = random_real({5000, image.rank()}, -0.5, 0.5, 1);
    for (Index i = 0; i < points.size() / 2; ++i) points[i] *= 0.02;  // crowded around the centre
    const auto k = this->there(std::move(points));
    const auto x = random_complex<double>(image, 3);
    const Toeplitz<double> expected(k, {}, image, 0, 1e-10, true, ctx);
    const Toeplitz<float> single(k, {}, image, 0, tolerance, true, ctx);
    EXPECT_LT(relative_difference(single.apply(this->there(converted<std::complex<float>>(x.view())), ctx),
                                  expected.apply(this->there(clone(x)), ctx)),
              2 * tolerance)  // error of the other form, and rounding
        << image.to_string();
  }
}

TYPED_TEST(ToeplitzFloat, ScratchPredictionIsWhatTheOperatorReports) {
  Context& ctx = this->ctx();
  const Shape image{8, 9, 10};
  const auto k = this->there(random_real({60, 3}, -0.5, 0.5, 1));
  const Toeplitz<float> toeplitz(k, {}, image, 8, 1e-3, true, ctx);
  EXPECT_EQ(toeplitz.scratch_bytes(ctx), Toeplitz<float>::scratch_bytes(image, 8, ctx));
  EXPECT_EQ(toeplitz.table_bytes(), Toeplitz<float>::table_bytes(image, ctx));
}

TYPED_TEST(ToeplitzDouble, IsTheSameByBlocksWhereMemoryIsShort) {
  for (const Shape& image : {Shape{21, 16}, Shape{7, 10, 9}, Shape{6, 1, 9}}) {
    const auto k = this->there(random_real({200, image.rank()}, -0.5, 0.5, 1));
    const auto x = this->random(image, 3);
    Context little(this->device(), {.threads = 2, .memory_limit = 1 << 10});
    const auto of = [&](Context& ctx) {
      return Toeplitz<double>(k, {}, image, 0, 1e-9, true, ctx).apply(x, this->ctx());
    };
    EXPECT_LT(relative_difference(of(little), of(this->ctx())), 1e-8) << image.to_string();
  }
}

TYPED_TEST(ToeplitzFloat, SetUpTakesTheBytesThatItSays) {
  for (const Shape& image : {Shape{150, 140}, Shape{40, 44, 48}})
    for (const std::size_t limit : {std::size_t{1} << 20, std::size_t{8} << 30}) {
      const Index samples = 100000;
      const auto k = this->there(random_real({samples, image.rank()}, -0.5, 0.5, 1));
      Context ctx(this->device(), {.threads = 2, .memory_limit = limit});
      const auto said =
          Toeplitz<float>::setup_bytes(image, samples, 1e-5, ctx) + Toeplitz<float>::table_bytes(image, ctx);
      const PeakMemory peak(this->device());
      const Toeplitz<float> toeplitz(k, {}, image, 0, 1e-5, true, ctx);
      // Memory for sorting is freed before the counted arrays are allocated.
      EXPECT_LE(peak.bytes(), said * 101 / 100) << image.to_string();
      EXPECT_GE(peak.bytes(), said / 2) << image.to_string();
    }
}

}  // namespace
}  // namespace larmor::test
