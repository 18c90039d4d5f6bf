#include "error_of.hpp"
#include "mri/phantom_image.hpp"
#include "random_arrays.hpp"

#include <larmor/mri/density/density.hpp>
#include <larmor/mri/density/density_geometry.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/trajectory/spiral.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>

#include <gtest/gtest.h>

#include <numbers>
#include <numeric>

namespace larmor {
namespace {

using Complex = std::complex<float>;
using std::numbers::pi;

double sum_of(const Array<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// ‖Fᴴ d F x − x‖ / ‖x‖ with the scaled operator, for a smooth object in the middle of the image.
double gridding_error(View<const double> trajectory, View<const double> density, const Shape& shape,
                      Context& ctx) {
  const int dims = shape.rank();
  PhantomPart blob{PhantomPart::Kind::gaussian, 1.0, {0.05, -0.05, 0}, {0.12, 0.1, 0.12}, 0.3};
  PhantomPart spot{PhantomPart::Kind::gaussian, {0, 0.7}, {-0.1, 0.1, 0.05}, {0.05, 0.05, 0.08}, 0};
  const auto object = test::phantom_image({dims, {blob, spot}, coil_ring(dims, 1)}, shape, 1, ctx);
  const auto x = converted<Complex>(object.view());
  const Nufft<float> F(trajectory, density, shape, {.tolerance = 1e-4}, ctx);
  const auto back = F.adjoint(F.apply(x, ctx), ctx);
  return test::relative_difference(back, x);
}

TEST(Density, CartesianGridHasUnitWeights) {
  Context ctx;
  for (const Shape& shape : {Shape{16, 16}, Shape{15, 18}, Shape{8, 9, 10}}) {
    const auto density = pipe_menon(cartesian_points(shape).k, shape, {}, ctx);
    for (double d : density) EXPECT_NEAR(d, 1, 0.01);
  }
}

TEST(Density, AShapeThatDoesNotFitIsTheCallersMistake) {
  Context ctx(Device::cpu(), {.threads = 1});
  const Array<double> points = filled<double>({5, 3}, 0);
  const std::string said = test::error_of([&] { pipe_menon(points, {8, 8}, {}, ctx); });
  EXPECT_EQ(said.substr(0, 3), "2: ") << said;
}

TEST(Density, EachOfTwoEqualSamplesCountsHalf) {
  Context ctx;
  const Shape shape{12, 12};
  const auto grid = cartesian_points(shape).k;
  Array<double> twice({288, 2});
  for (Index i = 0; i < grid.size(); ++i) twice[i] = twice[grid.size() + i] = grid[i];
  for (double d : pipe_menon(twice, shape, {}, ctx)) EXPECT_NEAR(d, 0.5, 0.01);
}

TEST(Density, PipeMenonGridsWellSampledTrajectories) {
  Context ctx;
  const Shape image{40, 40}, volume{18, 20, 20};
  const auto radial = radial_2d({.spokes = 80, .samples = 80});
  const auto spiral = variable_density_spiral({.fov_mm = 240, .matrix = 40, .interleaves = 4});
  const auto ball = kooshball_3d(1500, 20);
  for (const auto* trajectory : {&radial, &spiral, &ball}) {
    const Shape& shape = trajectory->k.shape()[1] == 2 ? image : volume;
    const auto density = pipe_menon(trajectory->k, shape, {}, ctx);
    EXPECT_LT(gridding_error(trajectory->k, density, shape, ctx), 0.05) << shape.to_string();
    for (double d : density) EXPECT_GE(d, 0);
  }
}

// With weights that differ by the errors of a transform, the normal operator could not be computed plane by
// plane.
TEST(Density, PartitionsOfACompleteStackHaveTheWeightsOfTheirPlane) {
  Context ctx;
  const Index partitions = 8;
  const Shape image{partitions, 20, 20};
  const auto plane = radial_2d({.spokes = 30, .samples = 40}).k;
  const Index places = plane.shape()[0];
  const auto expected = pipe_menon(plane, image.drop_front(1), {}, ctx);
  for (const bool plane_by_plane : {true, false}) {
    const auto sample = [&](Index partition, Index place) {
      return plane_by_plane ? partition * places + place : place * partitions + partition;
    };
    Array<double> k({partitions * places, 3});
    for (Index partition = 0; partition < partitions; ++partition)
      for (Index place = 0; place < places; ++place) {
        double* const to = &k[3 * sample(partition, place)];
        std::copy_n(&plane[2 * place], 2, to);
        to[2] = static_cast<double>(partition) / static_cast<double>(partitions) - 0.5;
      }
    const auto weights = pipe_menon(k, image, {}, ctx);
    const Toeplitz<float> normal(k, weights, image, 0, 3e-6, true, ctx);
    EXPECT_LE(normal.table_bytes() * static_cast<std::size_t>(partitions),
              Toeplitz<float>::table_bytes(image, ctx));
    // A single sample elsewhere makes it a volume, whose other partitions keep about these weights.
    k[3 * sample(0, 5)] += 0.3;
    const auto of_volume = pipe_menon(k, image, {}, ctx);
    EXPECT_GT(std::abs(of_volume[sample(0, 5)] / expected[5] - 1), 0.1);
    for (Index place = 0; place < places; ++place) {
      for (Index partition = 0; partition < partitions; ++partition)
        EXPECT_EQ(weights[sample(partition, place)], expected[place]);
      EXPECT_NEAR(of_volume[sample(4, place)] / expected[place], 1, 0.02);
    }
  }
}

// Weights are areas of k-space: a margin of the image around the object changes only their unit.
TEST(Density, PipeMenonIsOfTheObjectsFieldOfView) {
  Context ctx;
  const Shape object{24, 20}, image{48, 40};
  const auto radial = radial_2d({.spokes = 12, .samples = 48});
  const auto tight = pipe_menon(radial.k, object, {}, ctx);
  const auto wide = pipe_menon(radial.k, image, {.field_of_view = object}, ctx);
  for (Index j = 0; j < tight.size(); ++j) EXPECT_NEAR(wide[j] / tight[j], 4, 0.02);
  EXPECT_THROW(pipe_menon(radial.k, image, {.field_of_view = {48}}, ctx), Error);
}

// Few iterations suffice: the gridded image with four is as close to the object as with forty.
TEST(Density, PipeMenonNeedsFewIterations) {
  Context ctx;
  const Shape shape{40, 40};
  const auto radial = radial_2d({.spokes = 40, .samples = 80});
  const double few = gridding_error(radial.k, pipe_menon(radial.k, shape, {}, ctx), shape, ctx);
  const double many =
      gridding_error(radial.k, pipe_menon(radial.k, shape, {.iterations = 40}, ctx), shape, ctx);
  EXPECT_LT(few, many + 0.02);
}

TEST(Density, PipeMenonStaysPutWithMoreIterations) {
  Context ctx;
  const Shape shape{32, 32};
  const auto spiral =
      variable_density_spiral({.fov_mm = 240, .matrix = 32, .interleaves = 3, .edge_density = 0.6});
  const auto few = pipe_menon(spiral.k, shape, {.iterations = 20}, ctx);
  const auto many = pipe_menon(spiral.k, shape, {.iterations = 120}, ctx);
  EXPECT_NEAR(sum_of(many) / sum_of(few), 1, 0.02);
  EXPECT_LT(gridding_error(spiral.k, many, shape, ctx), 0.06);
}

TEST(Density, RadialWeightsFillTheDisc) {
  Context ctx;
  const Shape shape{32, 40};
  const double pixels = 32 * 40;
  // Full spokes extend half a sample beyond −0.5 and end half a sample before +0.5.
  for (const auto order : {SpokeOrder::uniform, SpokeOrder::golden}) {
    for (const Index spokes : {1, 2, 7, 50}) {
      const auto radial = radial_2d({.spokes = spokes, .samples = 64, .order = order});
      const auto density = radial_density(radial.k, 64, shape, ctx);
      const double inner = 0.5 - 0.5 / 64, outer = 0.5 + 0.5 / 64;
      EXPECT_NEAR(sum_of(density) / pixels, pi * (inner * inner + outer * outer) / 2, 0.02) << spokes;
    }
    const auto centre_out = radial_2d({.spokes = 9, .samples = 64, .order = order, .centre_out = true});
    const auto density = radial_density(centre_out.k, 64, shape, ctx);
    const double edge = 63.5 / 128;
    EXPECT_NEAR(sum_of(density) / pixels, pi * edge * edge, 1e-9);
    // The centre: a disc of half a sample's radius, shared by sectors.
    double centre = 0;
    for (Index s = 0; s < 9; ++s) centre += density[s * 64];
    EXPECT_NEAR(centre / pixels, pi * 0.25 / (128 * 128), 1e-12);
  }
}

TEST(Density, UniformRadialWeightsByHand) {
  Context ctx;
  // Four spokes of 8 samples: sectors of π/4 on each side, rings between half samples.
  const auto radial = radial_2d({.spokes = 4, .samples = 8, .order = SpokeOrder::uniform});
  const auto density = radial_density(radial.k, 8, {10, 10}, ctx);
  for (Index s = 0; s < 4; ++s) {
    EXPECT_NEAR(density[s * 8 + 4], 100 * 2 * (pi / 4) * 0.5 / (16 * 16), 1e-9);
    for (Index r = 1; r < 8; ++r) {
      if (r == 4) continue;
      const double radius = std::abs(static_cast<double>(r) - 4) / 8;
      EXPECT_NEAR(density[s * 8 + r], 100 * (pi / 4) * radius / 8, 1e-9);
    }
  }
}

TEST(Density, RepeatedSpokesShareTheirSector) {
  Context ctx;
  const RadialOptions options{.spokes = 5, .samples = 16};
  const auto once = radial_2d(options);
  Array<double> thrice({3 * once.k.shape()[0], 2});
  for (Index i = 0; i < thrice.size(); ++i) thrice[i] = once.k[i % once.k.size()];
  const auto expected = radial_density(once.k, 16, {16, 16}, ctx);
  const auto density = radial_density(thrice, 16, {16, 16}, ctx);
  for (Index j = 0; j < density.size(); ++j) EXPECT_NEAR(density[j], expected[j % expected.size()] / 3, 1e-9);
}

TEST(Density, RadialWeightsGridInTwoAndThreeDimensions) {
  Context ctx;
  const auto radial = radial_2d({.spokes = 81, .samples = 80});
  const Shape image{40, 40}, volume{20, 20, 20};
  EXPECT_LT(gridding_error(radial.k, radial_density(radial.k, 80, image, ctx), image, ctx), 0.05);
  const auto ball = kooshball_3d(3000, 20);
  EXPECT_LT(gridding_error(ball.k, radial_density(ball.k, 20, volume, ctx), volume, ctx), 0.05);
}

TEST(Density, RadialWeightsRefuseOtherTrajectories) {
  Context ctx;
  const auto spiral = variable_density_spiral({.matrix = 32, .interleaves = 4});
  EXPECT_THROW(radial_density(spiral.k, spiral.samples_per_readout, {32, 32}, ctx), Error);
  const auto grid = cartesian_points({16, 16});
  EXPECT_THROW(radial_density(grid.k, 16, {16, 16}, ctx), Error);
  EXPECT_THROW(radial_density(filled<double>({8, 2}, 0.0), 4, {16, 16}, ctx), Error);
}

}  // namespace
}  // namespace larmor
