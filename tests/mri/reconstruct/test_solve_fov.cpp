// Objects that extend beyond the image are solved on a larger field of view.
#include "mri/phantom_scan.hpp"
#include "random_arrays.hpp"

#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using C = std::complex<float>;

TEST(SolveFov, ALargerOneTakesWhatLiesOutsideOfTheImage) {
  Context ctx(Device::cpu(), {.threads = 2});
  // Two blobs on 30² pixels; the file declares the central 20²: one blob is inside, one outside.
  const Index wide = 30, narrow = 20;
  Array<C> object({1, wide, wide});
  for (Index i = 0; i < object.size(); ++i) {
    const double x = static_cast<double>(i % wide - wide / 2), y = static_cast<double>(i / wide - wide / 2);
    const auto blob = [&](double at_x, double at_y, double radius) {
      return std::exp(-((x - at_x) * (x - at_x) + (y - at_y) * (y - at_y)) / (2 * radius * radius));
    };
    object[i] = static_cast<float>(blob(-2, 1, 3) + 0.8 * blob(12.5, -3, 1.5));
  }
  auto scan = empty_scan({narrow, narrow, 1}, {200, 200, 5});
  add_spokes(scan, object, 60, ctx);
  Array<C> middle({narrow, narrow});
  for (Index i = 0; i < middle.size(); ++i) middle[i] = object[(i / narrow + 5) * wide + i % narrow + 5];

  const auto error = [&](double solve_fov) {
    ReconstructOptions options;
    options.prepare.grid.solve_fov = solve_fov;
    options.prepare.units = TrajectoryUnits::normalised;
    options.prepare.whiten = false;
    const auto result = reconstruct(scan, options, ctx);
    return relative_difference(result.series.images.front().pixels, middle);
  };
  const double image_only = error(1), larger = error(1.5);
  EXPECT_LT(larger, 0.02);
  EXPECT_LT(larger, 0.2 * image_only);
}

// A head that fills the encoded field of view, whose centre is the image; maps of the centre only.
TEST(SolveFov, MapsOfTheImageAreExtendedToWhatWasSampled) {
  Context ctx(Device::cpu(), {.threads = 2});
  const Index wide = 64, narrow = 40;
  const Phantom phantom = head_with_coils(2, 6);
  Scan scan = empty_scan({wide, wide, 1}, {240, 240, 5});
  Encoding& encoding = scan.encodings[0];
  encoding.recon_matrix = {narrow, narrow, 1};
  encoding.recon_fov_mm = {150, 150, 5};
  for (Index s = 0; s < 64; ++s) {
    const auto k = spoke(std::numbers::pi * static_cast<double>(s) / 64, 128);
    add_phantom_readout(scan, phantom, k, {wide, wide}, ctx);
  }
  const auto wide_maps = phantom.maps({wide, wide}, ctx);
  const auto narrow_maps = cropped<C>(wide_maps, {narrow, narrow});
  const auto image = [&](View<const C> maps) {
    ReconstructOptions options{.coils = {.maps = maps}, .solve = {.iterations = 20}};
    return std::move(reconstruct(scan, options, ctx).series.images.front().pixels);
  };
  const auto native = image(wide_maps);
  EXPECT_EQ(native.shape(), (Shape{1, narrow, narrow}));
  EXPECT_LT(relative_difference(image(narrow_maps), native), 0.02);

  // Without data to estimate from, the maps' border is extrapolated.
  Scan outer = scan;
  for (Readout& readout : outer.readouts) {
    readout.header.discard_pre = 80;
  }
  ReconstructOptions options{.coils = {.maps = narrow_maps}, .solve = {.iterations = 2}};
  EXPECT_EQ(reconstruct(outer, options, ctx).series.images.front().pixels.shape(),
            (Shape{1, narrow, narrow}));
}

// A small object in the centre, or outside the image's field of view; maps that are zero except near the
// centre.
TEST(SolveFov, MapsThatEndWithinTheImageAreZeroAroundItWhereNothingLies) {
  Context ctx(Device::cpu(), {.threads = 2});
  const Index wide = 60, narrow = 40, coils = 4;
  const auto difference = [&](bool beside) {
    Array<C> images({coils, wide, wide}), maps = filled(Shape{coils, narrow, narrow}, C(0));
    const auto sensitivity = [&](Index c, double x, double y) {
      return std::polar(0.5, 0.02 * (c % 2 == 0 ? x : y) * (c < 2 ? 1.0 : -1.0));
    };
    for (Index i = 0; i < images.size(); ++i) {
      const Index c = i / (wide * wide);
      const double x = static_cast<double>(i % wide - wide / 2),
                   y = static_cast<double>(i / wide % wide - wide / 2);
      const double head = std::hypot(x, y) < 14 ? 1 : 0, arm = beside && std::hypot(x - 25, y) < 3 ? 1 : 0;
      images[i] = C((head + arm) * sensitivity(c, x, y));
    }
    for (Index i = 0; i < maps.size(); ++i) {
      const double x = static_cast<double>(i % narrow - narrow / 2),
                   y = static_cast<double>(i / narrow % narrow - narrow / 2);
      if (std::hypot(x, y) < 17) maps[i] = C(sensitivity(i / (narrow * narrow), x, y));
    }
    Scan scan = empty_scan({wide, wide, 1}, {240, 240, 5});
    scan.encodings[0].recon_matrix = {narrow, narrow, 1};
    scan.encodings[0].recon_fov_mm = {160, 160, 5};
    add_spokes(scan, images, 96, ctx);
    const auto image = [&](double solve_fov) {
      ReconstructOptions options{.coils = {.maps = maps}, .solve = {.iterations = 20}};
      options.prepare.grid.solve_fov = solve_fov;
      return std::move(reconstruct(scan, options, ctx).series.images.front().pixels);
    };
    return relative_difference(image(0), image(1));
  };
  EXPECT_LT(difference(false), 1e-3);
  EXPECT_GT(difference(true), 0.01);
}

}  // namespace
}  // namespace larmor::test
