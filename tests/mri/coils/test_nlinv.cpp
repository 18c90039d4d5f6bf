#include "mri/phantom_scan.hpp"

#include <larmor/core/error.hpp>
#include <larmor/mri/coils/nlinv.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/trajectory/spiral.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace larmor {
namespace {

using C = std::complex<float>;

TEST(Nlinv, FindsMapsFromRadialScans) {
  Context ctx(Device::cpu(), {.threads = 2});
  const Shape shape{64, 64};
  const Phantom phantom(2, head_phantom(2), coil_ring(2, 6));
  const auto truth = phantom.maps(shape, ctx);
  const auto object = test::phantom_image(phantom, shape, 2, ctx);
  // Fully sampled in the centre, and undersampled beyond a sixth of the radius.
  for (const Index spokes : {90, 24}) {
    const auto radial = radial_2d({.spokes = spokes, .samples = 128});
    const auto samples = converted<C>(phantom.kspace(radial.k, shape, ctx).view());
    const auto maps = nlinv_maps(radial.k, samples, shape, {.size = 64}, ctx);
    EXPECT_EQ(maps.shape(), (Shape{6, 64, 64}));
    EXPECT_LT(test::map_error(maps, truth, object), 0.12) << spokes;
    for (Index p = 0; p < shape.size(); ++p) {
      double squares = 0;
      for (Index c = 0; c < 6; ++c) squares += std::norm(maps[c * shape.size() + p]);
      EXPECT_NEAR(squares, squares > 0 ? 1.0 : 0.0, 1e-4);
    }
  }
}

// Every second spoke: only the coils separate the aliased parts, which takes many steps.
TEST(Nlinv, MapsOfSpiralsThatAreUndersampledInTheCentre) {
  Context ctx;
  const Shape shape{64, 64};
  const Phantom phantom(2, head_phantom(2), coil_ring(2, 6));
  const auto truth = phantom.maps(shape, ctx);
  const auto object = test::phantom_image(phantom, shape, 2, ctx);
  const auto spiral = variable_density_spiral({.matrix = 64, .interleaves = 8});
  const Index turn = 2 * spiral.samples_per_readout;
  Array<double> half({spiral.k.shape()[0] / 2, 2});
  for (Index j = 0; j < half.shape()[0]; ++j)
    for (Index axis = 0; axis < 2; ++axis)
      half[2 * j + axis] =
          spiral.k[2 * (j / spiral.samples_per_readout * turn + j % spiral.samples_per_readout) + axis];
  const auto samples = converted<C>(phantom.kspace(half, shape, ctx).view());
  const double few =
                   test::map_error(nlinv_maps(half, samples, shape, {.newton_steps = 8}, ctx), truth, object),
               many = test::map_error(nlinv_maps(half, samples, shape, {.newton_steps = 16}, ctx), truth,
                                      object);
  EXPECT_LT(many, 0.5 * few);
  EXPECT_LT(many, 0.05);
}

TEST(Nlinv, DoesNotCareForTheUnitsOfTheData) {
  Context ctx;
  const Shape shape{32, 32};
  const Phantom phantom(2, head_phantom(2), coil_ring(2, 3));
  const auto spiral = variable_density_spiral({.matrix = 32, .interleaves = 4});
  auto samples = converted<C>(phantom.kspace(spiral.k, shape, ctx).view());
  const NlinvOptions options{.size = 24, .newton_steps = 5};
  const auto maps = nlinv_maps(spiral.k, samples, shape, options, ctx);
  for (C& value : samples) value *= 1024.0F;
  const auto louder = nlinv_maps(spiral.k, samples, shape, options, ctx);
  double largest = 0;
  for (Index i = 0; i < maps.size(); ++i)
    largest = std::max(largest, static_cast<double>(std::abs(maps[i] - louder[i])));
  EXPECT_LT(largest, 1e-3);
}

TEST(Nlinv, RefusesScansWithoutSignal) {
  Context ctx;
  const auto radial = radial_2d({.spokes = 8, .samples = 32});
  EXPECT_THROW(nlinv_maps(radial.k, filled<C>({2, 8 * 32}, 0), {16, 16}, {}, ctx), Error);
}

}  // namespace
}  // namespace larmor
