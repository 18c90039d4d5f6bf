#include <larmor/mri/quality/probable_image.hpp>
#include <larmor/mri/quality/random_image.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/linear_operator.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace larmor {
namespace {

using C = std::complex<float>;

const Shape shape{64, 80};

Array<C> falling(double decades_a_shell, std::uint64_t seed, Context& ctx) {
  PowerSpectrum spectrum;
  for (int shell = 0; shell < 28; ++shell) spectrum.power.push_back(std::pow(10.0, -decades_a_shell * shell));
  return random_image<float>(spectrum, shape, 2, seed, ctx);
}

Array<C> sum(double a, View<const C> x, double b, View<const C> y, Context& ctx) {
  Array<C> result(shape);
  combine<float>({{a, x}, {b, y}}, result, ctx);
  return result;
}

double distance(View<const C> a, View<const C> b, Context& ctx) {
  return std::sqrt(squared_norm<float>(sum(1, a, -1, b, ctx), ctx) / squared_norm<float>(b, ctx));
}

TEST(ProbableImage, IsTheOneThatWasFoundWhereThatIsExact) {
  Context ctx;
  const auto object = falling(0.1, 1, ctx), found = falling(0.2, 2, ctx);
  EXPECT_LT(distance(probable_image<float>(found, {object, object}, 2, ctx), found, ctx), 1e-5);
}

TEST(ProbableImage, IsTheRandomOneWhereNothingWasFound) {
  Context ctx;
  const auto object = falling(0.1, 1, ctx), noise = falling(0, 3, ctx);
  // As much noise as in the random object's image, and no object.
  const auto image = sum(0, object, 1, noise, ctx), found = sum(0, object, -1, noise, ctx);
  EXPECT_LT(distance(probable_image<float>(found, {object, image}, 2, ctx), object, ctx), 0.2);
}

// What is far below the noise of an image comes from the random object, with the power of that; the rest is
// the data's object, as near as its own image.
TEST(ProbableImage, TakesOfBothWhatIsKnown) {
  Context ctx;
  const auto object = falling(0.4, 1, ctx), truth = falling(0.4, 2, ctx);
  const double level = 0.01;
  const auto known = sum(1, object, level, falling(0, 3, ctx), ctx);
  const auto found = sum(1, truth, level, falling(0, 4, ctx), ctx);
  const auto made = probable_image<float>(found, {object, known}, 2, ctx);
  EXPECT_LT(distance(made, truth, ctx),
            0.6 * distance(found, truth, ctx) + 0.6 * distance(known, object, ctx));
  const auto power_at_the_edge = [&](View<const C> image) {
    const auto spectrum = Fft<float>(shape, 2).apply(image, ctx);
    double power = 0;
    for (Index i = 0; i < 4 * 80; ++i) power += std::norm(spectrum[i]);
    return power;
  };
  EXPECT_LT(power_at_the_edge(made), 0.1 * power_at_the_edge(found));
}

TEST(ProbableImage, RefusesImagesOfOtherShapes) {
  Context ctx;
  const auto object = falling(0.1, 1, ctx);
  const Array<C> other({64, 64});
  EXPECT_THROW(probable_image<float>(other, {object, object}, 2, ctx), Error);
}

}  // namespace
}  // namespace larmor
