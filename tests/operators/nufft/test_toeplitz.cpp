// The Toeplitz normal operator compared with exact sums and with forward-adjoint.
#include "device_cases.hpp"
#include "operators/operator_contract.hpp"
#include "peak_memory.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>

#include <gmock/gmock.h>
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

// Samples at the same random positions of the plane in each partition; from the partition `turned` on at
// others, and none in the partition `missing`.
Array<double> stack_of(Index partitions, Index turned, Index missing = -1) {
  constexpr Index in_plane = 60;
  const auto positions = random_real({2, in_plane, 2}, -0.5, 0.5, 1);
  Array<double> k({(missing < 0 ? partitions : partitions - 1) * in_plane, 3});
  double* point = k.data();
  for (Index p = 0; p < partitions; ++p)
    for (Index j = 0; p != missing && j < in_plane; ++j, point += 3) {
      const double* position = positions.data() + 2 * (p < turned ? j : in_plane + j);
      point[0] = position[0];
      point[1] = position[1];
      point[2] = static_cast<double>(p - partitions / 2) / static_cast<double>(partitions);
    }
  return k;
}

template <typename Case>
class ToeplitzOfAStack : public OnDevice<Case> {
 protected:
  static constexpr double tolerance = sizeof(typename Case::T) == 4 ? 1e-5 : 1e-9;
  // The table of one plane is as many times smaller than that of a padded volume as there are slices.
  template <typename T>
  bool by_planes(const Toeplitz<T>& normal, const Shape& image) {
    return normal.table_bytes() * static_cast<std::size_t>(image[0]) <=
           Toeplitz<T>::table_bytes(image, this->ctx());
  }
};
TYPED_TEST_SUITE(ToeplitzOfAStack, DeviceCases, CaseNames);

TYPED_TEST(ToeplitzOfAStack, IsByPlanesIfPartitionsAreCompleteAndEqual) {
  using T = typename TypeParam::T;
  Context cpu(Device::cpu(), {.threads = 2});
  // With and without padding along z, and with fewer slices than threads.
  for (const Shape& image : {Shape{8, 12, 14}, Shape{7, 9, 10}, Shape{11, 10, 9}, Shape{1, 8, 9}})
    for (const Index coils : {0, 10}) {
      const Index slices = image[0];
      const auto x = random_complex<T>(coils > 0 ? image.prepend(coils) : image, 3);
      const auto check = [&](const Array<double>& k, bool by_planes) {
        const Nudft<double> exact(k, image, coils);
        const auto expected = exact.adjoint(exact.apply(converted<std::complex<double>>(x.view()), cpu), cpu);
        const Toeplitz<T> normal(this->there(clone(k)), {}, image, coils, this->tolerance, true, this->ctx());
        const auto found = normal.apply(this->there(clone(x)), this->ctx());
        EXPECT_LE(relative_difference(found, expected), this->tolerance) << image.to_string() << coils;
        EXPECT_EQ(this->by_planes(normal, image), by_planes) << image.to_string() << coils;
        EXPECT_LE(normal.scratch_bytes(this->ctx()), Toeplitz<T>::scratch_bytes(image, coils, this->ctx()));
      };
      check(stack_of(slices, slices), true);
      if (slices == 1) continue;
      check(stack_of(slices, slices, 2), false);
      check(stack_of(slices, slices / 2), false);
    }
}

// The weight of one sample of 480: little of the spectrum's norm, but not of the values near this sample.
TYPED_TEST(ToeplitzOfAStack, IsOfTheVolumeIfOneWeightDiffers) {
  using T = typename TypeParam::T;
  Context cpu(Device::cpu(), {.threads = 2});
  constexpr double wanted = 1e-2;
  const Shape image{8, 12, 14};
  const auto k = stack_of(8, 8);
  Array<double> density({k.shape()[0]});
  std::fill_n(density.data(), density.size(), 1.0);
  density[4 * 60] = 1.1;
  const auto x = random_complex<T>(image, 3);
  const Nudft<double> exact(k, image, 0);
  auto samples = exact.apply(converted<std::complex<double>>(x.view()), cpu);
  for (Index j = 0; j < density.size(); ++j) samples[j] *= density[j];
  const Toeplitz<T> normal(this->there(clone(k)), this->there(clone(density)), image, 0, wanted, true,
                           this->ctx());
  EXPECT_FALSE(this->by_planes(normal, image));
  EXPECT_LE(
      relative_difference(normal.apply(this->there(clone(x)), this->ctx()), exact.adjoint(samples, cpu)),
      wanted);
}

TYPED_TEST(ToeplitzOfAStack, IsByPlanesAtEveryTolerance) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  for (const Index slices : {8, 30, 33}) {
    const Shape image{slices, 12, 14};
    const auto k = this->there(stack_of(slices, slices));
    for (double wanted = 1e-2; wanted > 0.1 * this->tolerance; wanted /= 10)
      EXPECT_TRUE(this->by_planes(Toeplitz<T>(k, {}, image, 0, wanted, true, ctx), image))
          << slices << " " << wanted;
  }
}

TYPED_TEST(ToeplitzOfAStack, WithMapsIsThePlainComposition) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  const Shape image{5, 4, 6};
  const ImageBox box{{1, 1, 1}, {3, 2, 4}};
  for (const Index coils : {1, 10}) {
    if (under_sanitizers && coils == 1) continue;
    auto values = random_complex<T>(image.prepend(coils), 8);
    for (Index i = 0; i < values.size(); ++i) {
      const Index at[] = {i / 24 % 5, i / 6 % 4, i % 6};
      for (int axis = 0; axis < 3; ++axis)
        if (at[axis] < box.first[axis] || at[axis] >= box.first[axis] + box.extent[axis]) values[i] = 0;
    }
    const auto k = stack_of(5, 5);
    const Nufft<T> F(this->there(clone(k)), image, {.tolerance = this->tolerance, .batch = coils}, ctx);
    const CoilMaps<T> maps(this->there(clone(values)));
    const auto exact =
        Nudft<double>(k, image, coils) * CoilMaps<double>(converted<std::complex<double>>(values.view()));
    ContractOptions<T> options;
    options.device = this->device();
    options.reference = [&](View<const std::complex<double>> x) {
      Context host;
      return exact.adjoint(exact.apply(x, host), host);
    };
    options.reference_tolerance = this->tolerance;
    for (const auto& part : {maps, maps.within(box)}) {
      const auto normal = (F * part).normal({.toeplitz = NormalOptions::Toeplitz::on}, ctx);
      EXPECT_THAT(contract_violations<T>(normal, options), testing::IsEmpty()) << coils;
    }
    const auto x = this->random(image, 9);
    const Toeplitz<T> toeplitz(this->there(clone(k)), {}, image, coils, this->tolerance, true, ctx);
    EXPECT_TRUE(this->by_planes(toeplitz.with_batch(1, ctx), image));
    const auto expected = SenseToeplitz<T>(toeplitz, maps).apply(x, ctx);
    const CoilMaps<T> on_host(copied_to(this->device(), maps.maps(), Placement::host));
    EXPECT_TRUE(same_bits(SenseToeplitz<T>(toeplitz, on_host).apply(x, ctx), expected));
    const auto doubled = toeplitz.in_double(ctx);
    EXPECT_EQ(doubled.table_bytes() * sizeof(T), toeplitz.table_bytes() * sizeof(double));
    const auto y = this->random(image.prepend(coils), 9);
    const auto wide = this->there(converted<std::complex<double>>(fetched(y).view()));
    EXPECT_LT(relative_difference(doubled.apply(wide, ctx), toeplitz.apply(y, ctx)), 1e-6);
  }
}

TYPED_TEST(ToeplitzOfAStack, OfAPartOfTheImageIsTheMiddleOfThatOfTheWhole) {
  using T = typename TypeParam::T;
  Context& ctx = this->ctx();
  const Shape whole{12, 20, 16};
  const auto k = this->there(stack_of(12, 12));
  const Nufft<T> nufft(k, whole, {.tolerance = this->tolerance}, ctx);
  for (const Shape& part : {Shape{8, 12, 6}, Shape{5, 12, 6}}) {
    const auto x = this->random(part, 3);
    const Pad<T> pad(part, whole);
    const Toeplitz<T> normal(k, {}, part, 0, this->tolerance, true, ctx, whole);
    EXPECT_TRUE(this->by_planes(normal, part));
    const auto padded = pad.apply(x, ctx);
    EXPECT_LT(relative_difference(normal.apply(x, ctx),
                                  pad.adjoint(nufft.adjoint(nufft.apply(padded, ctx), ctx), ctx)),
              3 * this->tolerance);
  }
}

TYPED_TEST(ToeplitzDouble, IsNotCircularForSamplesNextToTheGrid) {
  Context& ctx = this->ctx();
  const Shape image{16, 16};
  for (const Index off : {17, 39'999}) {
    auto k = points_on_grid(image, 3, 20'000);
    k[off] += 1e-7;
    const Toeplitz<double> exact(this->there(clone(k)), {}, image, 0, 1e-9, true, ctx);
    const Toeplitz<double> rough(this->there(clone(k)), {}, image, 0, 1e-3, true, ctx);
    EXPECT_GT(exact.table_bytes(), rough.table_bytes());
    EXPECT_EQ(rough.table_bytes(), sizeof(double) * 256U);
  }
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
