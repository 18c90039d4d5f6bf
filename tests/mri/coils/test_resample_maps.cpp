// Coil maps are interpolated to other grids according to their positions.
#include "error_of.hpp"
#include "mri/synthetic_scan.hpp"

#include <larmor/mri/calibration/place_maps.hpp>
#include <larmor/mri/calibration/resample_maps.hpp>

#include <gmock/gmock.h>

#include <numbers>

namespace larmor::test {
namespace {

using C = std::complex<float>;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr Index coils = 6;

// Sensitivities of loops around an object, in scanner coordinates: smooth, with a phase that turns.
std::complex<double> sensitivity(Index coil, const Vec3& at) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(coil) / coils;
  const Vec3 loop{140 * std::cos(angle), 140 * std::sin(angle), coil % 2 == 0 ? 50.0 : -50.0};
  double square = 0, along = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    square += (at[axis] - loop[axis]) * (at[axis] - loop[axis]);
    along += at[axis] * loop[axis] / 140;
  }
  return std::polar(1 / (1 + square / (90.0 * 90)), angle + along / 70 + at[2] / 90);
}

Vec3 place(const ImageGeometry& image, double x, double y, double z) {
  Vec3 at = image.position;
  const double voxel[] = {x, y, z};
  const Vec3* directions[] = {&image.read_dir, &image.phase_dir, &image.slice_dir};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double n = static_cast<double>(image.matrix[axis]);
    for (std::size_t i = 0; i < 3; ++i)
      at[i] += (voxel[axis] - std::floor(n / 2)) * image.fov_mm[axis] / n * (*directions[axis])[i];
  }
  return at;
}

// [coils, z, y, x], rss 1.
Array<C> native(const ImageGeometry& image) {
  Array<C> maps({coils, image.matrix[2], image.matrix[1], image.matrix[0]});
  const Index pixels = maps.size() / coils;
  for (Index p = 0; p < pixels; ++p) {
    const Vec3 at = place(image, static_cast<double>(p % image.matrix[0]),
                          static_cast<double>(p / image.matrix[0] % image.matrix[1]),
                          static_cast<double>(p / (image.matrix[0] * image.matrix[1])));
    double energy = 0;
    for (Index c = 0; c < coils; ++c) energy += std::norm(sensitivity(c, at));
    for (Index c = 0; c < coils; ++c) maps[c * pixels + p] = C(sensitivity(c, at) / std::sqrt(energy));
  }
  return maps;
}

ImageGeometry axial(Index n, double fov, Index slices = 1, double thickness = 5) {
  ImageGeometry image;
  image.matrix = {n, n, slices};
  image.fov_mm = {fov, fov, thickness * static_cast<double>(slices)};
  return image;
}

// Rotated about two axes.
ImageGeometry oblique(ImageGeometry image, double first = 0.4, double second = -0.3) {
  const double c = std::cos(first), s = std::sin(first), d = std::cos(second), t = std::sin(second);
  image.read_dir = {c, s, 0};
  image.phase_dir = {-s * d, c * d, t};
  image.slice_dir = {s * t, -c * t, d};
  return image;
}

double largest_difference(View<const C> a, View<const C> b) {
  double largest = 0;
  for (Index i = 0; i < a.size(); ++i)
    largest = std::max(largest, static_cast<double>(std::abs(a[i] - b[i])));
  return largest;
}

Array<C> resampled(const ImageGeometry& from, const ImageGeometry& to) {
  Context ctx(Device::cpu(), {.threads = 2});
  const ResampledMaps maps(native(from), {from}, ctx);
  EXPECT_LE(maps.overhang(to), maps.margin());
  Array<C> result({coils, to.matrix[2], to.matrix[1], to.matrix[0]});
  maps.read(to, result, ctx);
  return result;
}

struct Case {
  std::string name;
  ImageGeometry from, to;
  double bound;
};

class Resampling : public testing::TestWithParam<Case> {};

TEST_P(Resampling, GivesWhatTheSameMapsAreThere) {
  const auto& [name, from, to, bound] = GetParam();
  EXPECT_LT(largest_difference(resampled(from, to), native(to)), bound);
}

std::vector<Case> cases() {
  const ImageGeometry volume = axial(32, 256, 24, 8);
  std::vector<Case> all;
  const auto add = [&](const std::string& name, const ImageGeometry& from, ImageGeometry to, auto change,
                       double bound = 0.01) {
    change(to);
    all.push_back({name, from, to, bound});
  };
  add(
      "Finer", axial(48, 240), axial(129, 240), [](auto&) {}, 0.002);
  add(
      "Coarser", axial(96, 240), axial(31, 240), [](auto&) {}, 0.002);
  add("VeryCoarse", axial(24, 240), axial(128, 240), [](auto&) {});
  add(
      "OffCentre", axial(64, 256), axial(80, 160),
      [](auto& to) {
        to.position = {31, -17.3, 0};
      },
      0.002);
  add(
      "Flipped", axial(64, 240), axial(64, 240),
      [](auto& to) {
        to.read_dir = {-1, 0, 0};
        to.slice_dir = {0, 0, -1};
      },
      0.002);
  add(
      "AxesExchanged", axial(64, 240), axial(60, 220),
      [](auto& to) {
        to.read_dir = {0, 1, 0};
        to.phase_dir = {1, 0, 0};
      },
      0.002);
  add(
      "Anisotropic", axial(40, 240), axial(64, 200),
      [](auto& to) {
        to.matrix = {90, 33, 1};
        to.fov_mm = {220, 180, 4};
      },
      0.003);
  add("ObliqueSliceOfAVolume", volume, oblique(axial(64, 180)), [](auto& to) { to.position = {5, 7, -9}; });
  add("ObliqueVolumeOfAVolume", volume, oblique(axial(41, 150, 13, 5)), [](auto&) {});
  add("VolumeOfAnObliqueVolume", oblique(volume), axial(50, 150, 9, 6), [](auto&) {});
  add(
      "BeyondTheEdge", axial(64, 200), axial(60, 230), [](auto&) {}, 0.03);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Grids, Resampling, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST(ResampledMaps, TakesOutThePhaseThatChannelsShare) {
  Context ctx(Device::cpu(), {.threads = 2});
  const ImageGeometry from = axial(48, 240), to = axial(100, 200);
  Array<C> maps = native(from);
  const auto phases = random_complex({48 * 48}, 3);
  for (Index i = 0; i < maps.size(); ++i)
    maps[i] *= phases[i % phases.size()] / std::abs(phases[i % phases.size()]);
  Array<C> result({coils, 1, 100, 100});
  ResampledMaps(maps, {from}, ctx).read(to, result, ctx);
  const auto expected = native(to);
  const Index pixels = 100 * 100;
  for (Index p = 0; p < pixels; ++p) {
    std::complex<double> overlap = 0;
    for (Index c = 0; c < coils; ++c)
      overlap += std::conj(std::complex<double>(result[c * pixels + p])) *
                 std::complex<double>(expected[c * pixels + p]);
    ASSERT_NEAR(std::abs(overlap), 1, 1e-3) << p;
  }
}

TEST(ResampledMaps, KeepsWhatIsZeroAndContinuesWhatIsBesideIt) {
  Context ctx(Device::cpu(), {.threads = 2});
  const ImageGeometry from = axial(40, 240), to = axial(120, 240);
  Array<C> maps = native(from);
  const auto radius = [](Index p, Index n, double fov) {
    const double x = static_cast<double>(p % n - n / 2), y = static_cast<double>(p / n % n - n / 2);
    return std::hypot(x, y) * fov / static_cast<double>(n);
  };
  for (Index i = 0; i < maps.size(); ++i)
    if (radius(i % 1600, 40, 240) > 80) maps[i] = 0;
  Array<C> result({coils, 1, 120, 120});
  ResampledMaps(maps, {from}, ctx).read(to, result, ctx);
  const auto expected = native(to);
  for (Index i = 0; i < result.size(); ++i) {
    const double r = radius(i % 14400, 120, 240);
    if (r > 87) {
      ASSERT_EQ(result[i], C(0));
    }
    if (r < 75) {
      ASSERT_LT(std::abs(result[i] - expected[i]), 0.01F);
    }
  }
}

TEST(ResampledMaps, SlicesInAnyOrderAreAStack) {
  Context ctx(Device::cpu(), {.threads = 2});
  std::vector<ImageGeometry> slices;
  Array<C> maps({5, coils, 32, 32});
  for (const Index place : {3, 0, 4, 1, 2}) {
    slices.push_back(axial(32, 240));
    slices.back().position[2] = 8 * static_cast<double>(place) - 10;
    const auto one = native(slices.back());
    std::copy(one.begin(), one.end(), maps.view().slice(static_cast<Index>(slices.size()) - 1).data());
  }
  const ResampledMaps stack(maps, slices, ctx);
  EXPECT_TRUE(stack.coincides(slices[2]));
  Array<C> result({coils, 1, 32, 32});
  stack.read(slices[2], result, ctx);
  EXPECT_EQ(largest_difference(result, maps.view().slice(2)), 0);
  ImageGeometry between = axial(50, 200);
  between.position[2] = 3.1;
  EXPECT_FALSE(stack.coincides(between));
  Array<C> read({coils, 1, 50, 50});
  stack.read(between, read, ctx);
  EXPECT_LT(largest_difference(read, native(between)), 0.005);

  slices[1].position[2] += 3;
  EXPECT_THAT(error_of([&] { ResampledMaps(maps, slices, ctx); }), HasSubstr("evenly spaced"));
}

// A scan of slices at given positions, without signal.
ScanPlan plan_of(const ImageGeometry& image, const std::vector<double>& heights = {0}) {
  const auto& m = image.matrix;
  Scan scan = empty_scan({m[0], m[1], m[2]}, image.fov_mm);
  for (std::size_t s = 0; s < heights.size(); ++s)
    for (const double angle : {0.0, 1.0, 2.0}) {
      auto k = spoke(angle, 2 * m[0]);
      if (m[2] > 1) {
        std::vector<float> three;
        for (std::size_t j = 0; j < k.size(); j += 2)
          three.insert(three.end(), {k[j], k[j + 1], k[j] * 0.9F});
        k = three;
      }
      ReadoutHeader& header = add_readout(scan, k, m[2] > 1 ? 3 : 2, coils);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        header.position[axis] = static_cast<float>(image.position[axis] + heights[s] * image.slice_dir[axis]);
        header.read_dir[axis] = static_cast<float>(image.read_dir[axis]);
        header.phase_dir[axis] = static_cast<float>(image.phase_dir[axis]);
        header.slice_dir[axis] = static_cast<float>(image.slice_dir[axis]);
      }
      header.counters.slice = static_cast<std::uint16_t>(s);
    }
  PrepareOptions options;
  options.units = TrajectoryUnits::normalised;
  return plan_scan(scan, options);
}

TEST(PlacedMaps, AreOfTheScansSlices) {
  Context ctx(Device::cpu(), {.threads = 2});
  const ImageGeometry volume = axial(32, 256, 24, 8);
  ScanPlan plan = plan_of(oblique(axial(48, 180)), {-6, 0, 6});
  plan.notes.clear();
  const auto maps = placed_maps(native(volume), 1, {volume}, plan, ctx);
  EXPECT_EQ(maps.shape(), (Shape{3, coils, 48, 48}));
  for (std::size_t s = 0; s < 3; ++s) {
    ImageGeometry slice = plan.images[s].geometry;
    EXPECT_LT(largest_difference(maps.view().slice(static_cast<Index>(s)), native(slice)), 0.01) << s;
  }
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("are resampled to 48×48×1")));
}

TEST(PlacedMaps, StayWhereTheyAreTheScansOwn) {
  Context ctx(Device::cpu(), {.threads = 2});
  ScanPlan plan = plan_of(oblique(axial(48, 180)));
  const ImageGeometry slice = slice_geometry(plan, plan.grids.recon).front();
  const Array<C> maps = native(slice);
  EXPECT_EQ(placed_maps(maps.view().reshaped({coils, 48, 48}), 1, {slice}, plan, ctx).size(), 0);
  // A slice with one extra axis: the same numbers, with other axes.
  const auto copied = placed_maps(maps, 1, {slice}, plan, ctx);
  EXPECT_EQ(copied.shape(), (Shape{coils, 48, 48}));
  EXPECT_EQ(largest_difference(copied, maps), 0);
}

TEST(PlacedMaps, OfOneSliceServeThoseNearIt) {
  Context ctx(Device::cpu(), {.threads = 2});
  const ImageGeometry from = axial(40, 200);
  ScanPlan plan = plan_of(axial(40, 200), {-10, 0, 10});
  const auto maps = placed_maps(native(from), 1, {from}, plan, ctx);
  EXPECT_EQ(maps.shape(), (Shape{3, coils, 40, 40}));
  EXPECT_EQ(largest_difference(maps.view().slice(0), maps.view().slice(2)), 0);
  EXPECT_THAT(plan.notes, testing::Contains(HasSubstr("one slice are used for all 3 slices")));
  ScanPlan far = plan_of(axial(40, 200), {0, 40});
  EXPECT_THAT(error_of([&] { placed_maps(native(from), 1, {from}, far, ctx); }),
              HasSubstr("slice at position 1 reaches 37.5 mm beyond the coil maps, which are extrapolated by "
                        "at most 25 mm"));
}

TEST(PlacedMaps, SeveralSetsAreResampledEachByItself) {
  Context ctx(Device::cpu(), {.threads = 2});
  const ImageGeometry from = axial(40, 240), to = axial(64, 200);
  ScanPlan plan = plan_of(to);
  const auto one = native(from);
  Array<C> two({2, coils, 40, 40});
  for (Index i = 0; i < one.size(); ++i) {
    two[i] = one[i];
    two[one.size() + i] = C(0, 0.3F) * one[i];
  }
  const auto maps = placed_maps(two, 2, {from}, plan, ctx);
  ASSERT_EQ(maps.shape(), (Shape{2, coils, 64, 64}));
  const auto expected = native(to);
  for (Index i = 0; i < expected.size(); ++i) {
    ASSERT_LT(std::abs(maps[i] - expected[i]), 0.005F);
    ASSERT_LT(std::abs(maps[expected.size() + i] - C(0, 0.3F) * expected[i]), 0.005F);
  }
}

TEST(PlacedMaps, OtherShapesThanTheirGeometryAreRefused) {
  Context ctx(Device::cpu(), {.threads = 2});
  const ImageGeometry from = axial(40, 240);
  ScanPlan plan = plan_of(axial(64, 200));
  EXPECT_THAT(error_of([&] {
                placed_maps(Array<C>({coils, 41, 40}), 1, {from}, plan, ctx);
              }),
              HasSubstr("[6, 41, 40] do not fit 6 channels of 1 image of 40×40×1 voxels"));
  EXPECT_THAT(error_of([&] {
                placed_maps(Array<C>({2, coils, 40, 40}), 1, {from}, plan, ctx);
              }),
              HasSubstr("if these are 2 sets, give sets 2, or maps of one set (bart ecalib -m 1)"));
}

// Numbers that increase along both axes, through 0, and rotate in the complex plane with z.
Array<C> ramp(const ImageGeometry& image) {
  Array<C> numbers({image.matrix[2], image.matrix[1], image.matrix[0]});
  for (Index i = 0; i < numbers.size(); ++i) {
    const Vec3 at = place(image, static_cast<double>(i % image.matrix[0]),
                          static_cast<double>(i / image.matrix[0] % image.matrix[1]),
                          static_cast<double>(i / (image.matrix[0] * image.matrix[1])));
    numbers[i] = C(static_cast<float>(at[0] / 10 - at[1] / 20), static_cast<float>(at[2] / 8));
  }
  return numbers;
}

class PlacedImage : public testing::TestWithParam<Case> {};

TEST_P(PlacedImage, KeepsItsNumbersWhereTheyLie) {
  Context ctx(Device::cpu(), {.threads = 2});
  const auto& [name, from, to, bound] = GetParam();
  ScanPlan plan = plan_of(to);
  const ImageGeometry slice = slice_geometry(plan, plan.grids.recon).front();
  Array<C> image = ramp(from);
  // Far from all pixels of the scan: not a number, as outside a mask.
  if (bound == 0) image[0] = {NAN, NAN};
  const auto placed = placed_image(image, {from}, "p.nii", plan, ctx);
  ASSERT_EQ(placed.shape(), (Shape{to.matrix[1], to.matrix[0]}));
  const Array<C> expected = ramp(slice);
  Index unlike = 0;
  for (Index i = 0; i < placed.size(); ++i) unlike += !(std::abs(placed[i] - expected[i]) <= 1e-4F + bound);
  EXPECT_EQ(unlike, bound == 0 ? 1 : 0);
}

std::vector<Case> image_cases() {
  const ImageGeometry scan = oblique(axial(40, 200));
  std::vector<Case> all;
  // bound: the largest error; 0: pixel for pixel.
  const auto add = [&](const std::string& name, const ImageGeometry& base, double bound, auto change) {
    ImageGeometry from = base;
    change(from);
    all.push_back({name, from, scan, bound});
  };
  const auto backwards = [](ImageGeometry& image, Vec3& direction, std::size_t axis) {
    // Moves the position from one central voxel of an even number to the other one.
    for (std::size_t i = 0; i < 3; ++i) {
      image.position[i] -= direction[i] * image.fov_mm[axis] / static_cast<double>(image.matrix[axis]);
      direction[i] = -direction[i];
    }
  };
  add("StoredBackwardsAlongX", scan, 0, [&](auto& from) { backwards(from, from.read_dir, 0); });
  add("StoredBackwardsAlongY", scan, 0, [&](auto& from) { backwards(from, from.phase_dir, 1); });
  add("AxesExchanged", scan, 0, [](auto& from) { std::swap(from.read_dir, from.phase_dir); });
  add("FinerPixels", oblique(axial(96, 230)), 1e-3, [](auto&) {});
  add("CoarserPixels", oblique(axial(24, 230)), 1e-3, [](auto&) {});
  add("OfAVolume", axial(40, 300, 40, 8), 1e-3, [](auto&) {});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Places, PlacedImage, testing::ValuesIn(image_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(PlacedImages, ThatLieElsewhereAreRefused) {
  Context ctx(Device::cpu(), {.threads = 2});
  const ImageGeometry scan = axial(40, 200);
  ScanPlan plan = plan_of(scan);
  const auto refused = [&](auto change) {
    ImageGeometry from = scan;
    change(from);
    return error_of([&] { placed_image(ramp(from), {from}, "p.nii", plan, ctx); });
  };
  EXPECT_THAT(refused([](auto& from) { from.position[0] = 30; }),
              HasSubstr("3: the image reaches 27.5 mm beyond p.nii"));
  EXPECT_THAT(refused([](auto& from) { from.position[2] = 6; }), HasSubstr("beyond p.nii"));
  EXPECT_THAT(refused([](auto& from) { from.fov_mm[0] = 100; }), HasSubstr("beyond p.nii"));
}

}  // namespace
}  // namespace larmor::test
