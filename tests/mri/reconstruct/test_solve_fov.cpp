// Objects that reach beyond the image are solved for on a larger field of view.
#include "mri/synthetic_scan.hpp"
#include "random_arrays.hpp"

#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using C = std::complex<float>;

TEST(SolveFov, ALargerOneTakesWhatLiesOutsideOfTheImage) {
  Context ctx(Device::cpu(), {.threads = 2});
  // Two blobs on 30² pixels, of which the file declares the 20² in the middle: one is inside, one outside.
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

}  // namespace
}  // namespace larmor::test
