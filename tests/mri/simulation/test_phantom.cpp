#include "device_cases.hpp"
#include "mri/phantom_image.hpp"

#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <gtest/gtest.h>

#include <numbers>

namespace larmor {
namespace {

using Complex = std::complex<double>;
using Kind = PhantomPart::Kind;
using std::numbers::pi;

Array<double> points(std::initializer_list<std::array<double, 3>> list, Index dims) {
  Array<double> k({static_cast<Index>(list.size()), dims});
  double* out = k.data();
  for (const auto& point : list)
    for (Index axis = 0; axis < dims; ++axis) *out++ = point[static_cast<std::size_t>(axis)];
  return k;
}

std::vector<CoilSensitivity> one_coil() {
  return coil_ring(2, 1);
}

TEST(Phantom, CentreOfKSpaceIsTheIntegral) {
  Context ctx;
  const auto k2 = points({{0, 0, 0}}, 2);
  const auto k3 = points({{0, 0, 0}}, 3);
  const Shape image{20, 10}, volume{6, 20, 10};
  const PhantomPart ellipse{Kind::ellipsoid, 2.0, {0.1, 0, 0}, {0.2, 0.3, 0.25}, 0.4};
  EXPECT_NEAR(Phantom(2, {ellipse}, one_coil()).kspace(k2, image, ctx)[0].real(), 2 * pi * 0.06 * 200, 1e-9);
  EXPECT_NEAR(Phantom(3, {ellipse}, one_coil()).kspace(k3, volume, ctx)[0].real(),
              2 * 4 * pi / 3 * 0.015 * 1200, 1e-9);
  const PhantomPart blob{Kind::gaussian, 1.0, {0, 0, 0}, {0.05, 0.1, 0.1}, 0};
  EXPECT_NEAR(Phantom(2, {blob}, one_coil()).kspace(k2, image, ctx)[0].real(), 2 * pi * 0.005 * 200, 1e-9);
}

TEST(Phantom, SmallRadiusSeriesJoinsTheFormula) {
  // The ball's transform near q = 0.02/2π, where the series takes over, must be smooth.
  Context ctx;
  const Phantom ball(3, {{Kind::ellipsoid, 1.0, {0, 0, 0}, {0.25, 0.25, 0.25}, 0}}, one_coil());
  const Shape volume{8, 8, 8};
  const double join = 0.02 / (2 * pi) / 0.25 / 8;
  const auto s = ball.kspace(points({{join * 0.9999, 0, 0}, {join * 1.0001, 0, 0}}, 3), volume, ctx);
  EXPECT_NEAR(s[0].real() / s[1].real(), 1, 1e-7);
}

// Sum over a fine grid against the closed form: only the pixels' edges differ.
void compare_with_fine_grid(int dims, const Shape& coarse, Index refinement, double tolerance) {
  Context ctx;
  std::vector<PhantomPart> parts{{Kind::ellipsoid, 1.0, {0.05, -0.1, 0.02}, {0.3, 0.2, 0.25}, 0.5},
                                 {Kind::gaussian, Complex(0.5, 1), {-0.1, 0.15, 0}, {0.05, 0.08, 0.06}, 0.3}};
  const Phantom phantom(dims, parts, coil_ring(dims, 3));
  Shape fine = coarse;
  for (int axis = 0; axis < dims; ++axis) fine[axis] *= refinement;
  const auto image = test::phantom_image(phantom, fine, dims == 2 ? 4 : 2, ctx);
  const auto coils = test::phantom_sensitivities(phantom, fine, ctx);
  const auto trajectory = dims == 2 ? radial_2d({.spokes = 3, .samples = 9}) : kooshball_3d(4, 5);
  const auto s = phantom.kspace(trajectory.k, coarse, ctx);
  const Index samples = trajectory.k.shape()[0];
  double cell = 1;
  for (int axis = 0; axis < dims; ++axis) cell /= static_cast<double>(refinement);
  double error = 0, norm = 0;
  for (Index c = 0; c < 3; ++c)
    for (Index j = 0; j < samples; ++j) {
      Complex sum = 0;
      for (Index p = 0; p < fine.size(); ++p) {
        double cycles = 0;
        Index rest = p;
        for (int axis = dims - 1, column = 0; axis >= 0; --axis, ++column) {
          const double x =
              static_cast<double>(rest % fine[axis] - fine[axis] / 2) / static_cast<double>(refinement);
          cycles += trajectory.k[j * dims + column] * x;
          rest /= fine[axis];
        }
        sum += image[p] * coils[c * fine.size() + p] * std::polar(cell, -2 * pi * cycles);
      }
      error += std::norm(sum - s[c * samples + j]);
      norm += std::norm(sum);
    }
  EXPECT_LT(std::sqrt(error / norm), tolerance);
}

TEST(Phantom, ClosedFormEqualsFineGrid2D) {
  compare_with_fine_grid(2, {15, 24}, 8, 2e-3);
}
TEST(Phantom, ClosedFormEqualsFineGrid3D) {
  compare_with_fine_grid(3, {8, 9, 10}, 5, 5e-3);
}

TEST(Phantom, MapsHaveUnitRootSumOfSquares) {
  Context ctx;
  for (int dims : {2, 3}) {
    const Shape shape = dims == 2 ? Shape{9, 12} : Shape{5, 6, 7};
    const auto maps = Phantom(dims, head_phantom(dims), coil_ring(dims, 4)).maps(shape, ctx);
    ASSERT_EQ(maps.shape(), shape.prepend(4));
    for (Index p = 0; p < shape.size(); ++p) {
      double squares = 0;
      for (Index c = 0; c < 4; ++c) squares += std::norm(maps[c * shape.size() + p]);
      EXPECT_NEAR(squares, 1, 1e-5);
    }
  }
}

TEST(Phantom, TruthIsTheLowPassedImage) {
  Context ctx;
  // A smooth object is band-limited enough that its low-passed image is the object itself, times the coils'
  // rss.
  const PhantomPart blob{Kind::gaussian, Complex(1, -0.5), {0.05, -0.1, 0}, {0.08, 0.1, 0.09}, 0.2};
  for (int dims : {2, 3}) {
    const Shape shape = dims == 2 ? Shape{33, 40} : Shape{24, 25, 28};
    const Phantom phantom(dims, {blob}, coil_ring(dims, 3));
    const auto truth = phantom.truth(shape, ctx);
    const auto object = test::phantom_image(phantom, shape, 1, ctx);
    const auto coils = test::phantom_sensitivities(phantom, shape, ctx);
    double worst = 0;
    for (Index p = 0; p < shape.size(); ++p) {
      double squares = 0;
      for (Index c = 0; c < 3; ++c) squares += std::norm(coils[c * shape.size() + p]);
      worst = std::max(worst, std::abs(Complex(truth[p]) - object[p] * std::sqrt(squares)));
    }
    EXPECT_LT(worst, 2e-3) << dims;
  }
}

TEST(Phantom, HeadStaysInsideTheFieldOfViewAndCoilsDiffer) {
  Context ctx;
  const Shape shape{32, 32};
  const Phantom phantom(2, head_phantom(2), coil_ring(2, 8));
  const auto image = test::phantom_image(phantom, shape, 2, ctx);
  for (Index i = 0; i < 32; ++i) {
    EXPECT_EQ(image[i], 0.0);
    EXPECT_EQ(image[i * 32], 0.0);
  }
  double largest = 0;
  for (const auto& value : image) largest = std::max(largest, value.real());
  EXPECT_NEAR(largest, 1, 0.05);
  // Every coil is most sensitive on its own side.
  const auto coils = test::phantom_sensitivities(phantom, shape, ctx);
  EXPECT_GT(std::abs(coils[0 * 1024 + 16 * 32 + 30]), 4 * std::abs(coils[0 * 1024 + 16 * 32 + 2]));
  EXPECT_GT(std::abs(coils[4 * 1024 + 16 * 32 + 2]), 4 * std::abs(coils[4 * 1024 + 16 * 32 + 30]));
}

TEST(Phantom, RefusesImpossibleParts) {
  EXPECT_THROW(Phantom(4, {}, one_coil()), Error);
  EXPECT_THROW(Phantom(2, {}, {}), Error);
  EXPECT_THROW(Phantom(2, {{Kind::ellipsoid, 1.0, {}, {0.1, 0, 0.1}, 0}}, one_coil()), Error);
  EXPECT_THROW(coil_ring(2, 0), Error);
}

// A Gaussian of zero intensity forces the slower, pointwise method instead of the one for many ellipsoids
// together.
TEST(Phantom, ManyEllipsoidsTogetherAreTheSameAsOneByOne) {
  Context ctx;
  const auto coils = coil_ring(3, 3);
  auto with_blob = head_phantom(3);
  with_blob.push_back({Kind::gaussian, 0.0, {}, {0.1, 0.1, 0.1}, 0});
  const auto k = kooshball_3d(61, 31).k;
  const Shape volume{30, 32, 36};
  EXPECT_LT(test::relative_difference(Phantom(3, head_phantom(3), coils).kspace(k, volume, ctx),
                                      Phantom(3, with_blob, coils).kspace(k, volume, ctx)),
            1e-13);
}

template <typename Case>
class PhantomsOnDevices : public test::OnDevice<Case> {};
TYPED_TEST_SUITE(PhantomsOnDevices, test::DoubleCases, test::CaseNames);

TYPED_TEST(PhantomsOnDevices, AreThoseOfTheCpu) {
  Context cpu;
  std::vector<PhantomPart> parts = head_phantom(3);
  parts.push_back({Kind::gaussian, {0.2, 0.1}, {0.1, 0, -0.1}, {0.1, 0.05, 0.07}, 0.3});
  for (const int dims : {2, 3}) {
    const Phantom phantom(dims, dims == 2 ? head_phantom(2) : parts, coil_ring(dims, 4));
    const Shape shape = dims == 2 ? Shape{30, 33} : Shape{10, 12, 15};
    const auto k = dims == 2 ? radial_2d({.spokes = 9, .samples = 24, .order = SpokeOrder::golden}).k
                             : kooshball_3d(40, 16).k;
    EXPECT_LT(test::relative_difference(phantom.kspace(k, shape, this->ctx()), phantom.kspace(k, shape, cpu)),
              1e-12);
    EXPECT_LT(test::relative_difference(phantom.maps(shape, this->ctx()), phantom.maps(shape, cpu)), 1e-6);
    EXPECT_LT(test::relative_difference(phantom.truth(shape, this->ctx()), phantom.truth(shape, cpu)), 1e-6);
  }
}

}  // namespace
}  // namespace larmor
