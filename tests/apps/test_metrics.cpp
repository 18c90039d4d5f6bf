#include <larmor/apps/output/metrics.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace larmor::app {
namespace {

using Pixel = std::complex<float>;

Array<Pixel> pattern(const Shape& shape) {
  Array<Pixel> image(shape);
  for (Index i = 0; i < image.size(); ++i)
    image[i] = {1.0F + static_cast<float>(i % 7), 0.5F * static_cast<float>((i * i) % 5)};
  return image;
}

TEST(Metrics, FourPixelsByHand) {
  Array<Pixel> a(Shape{2, 2}), b(Shape{2, 2});
  const float a_values[] = {1, 0, 0, 1}, b_values[] = {2, 0, 0, 1};
  for (Index i = 0; i < 4; ++i) {
    a[i] = a_values[i];
    b[i] = b_values[i];
  }
  const Comparison result = compare_images(a.view(), b.view(), {});
  // The best scale is <a,b>/<a,a> = 3/2; the residual is (1.5-2)^2 + (1.5-1)^2 = 1/2, relative to ‖b‖² = 5.
  EXPECT_NEAR(result.scale.real(), 1.5, 1e-12);
  EXPECT_NEAR(result.nrmse, std::sqrt(0.5 / 5), 1e-12);
  EXPECT_NEAR(result.nrmse_plain, std::sqrt(1.0 / 5), 1e-12);
  EXPECT_NEAR(result.max_error, 1, 1e-12);
  EXPECT_NEAR(result.psnr, 20 * std::log10(2 / std::sqrt(0.5 / 4)), 1e-9);
  EXPECT_EQ(result.pixels, 4);
}

TEST(Metrics, AnyComplexScaleIsForgiven) {
  const auto b = pattern({3, 12, 17});
  auto a = clone(b);
  for (Pixel& pixel : a) pixel *= Pixel(0.3F, -2.0F);
  const Comparison result = compare_images(a.view(), b.view(), {});
  EXPECT_LT(result.nrmse, 1e-6);
  EXPECT_GT(result.nrmse_plain, 0.1);
  EXPECT_NEAR(result.ssim, 1, 1e-6);
}

TEST(Metrics, SimilarityFallsWithDamage) {
  const auto b = pattern({16, 15});
  auto a = clone(b);
  for (Index i = 0; i < a.size(); i += 3) a[i] *= 0.2F;
  const Comparison result = compare_images(a.view(), b.view(), {});
  EXPECT_LT(result.ssim, 0.8);
  EXPECT_GT(result.nrmse, 0.1);
}

TEST(Metrics, SimilarityOfConstantsByHand) {
  // Without variance only the luminance term remains: (2·m·n + c1)/(m² + n² + c1), after the scale has made m
  // = n on average; two planes, 1 against 1 and 1 against 3, scale 2.
  auto a = filled<Pixel>({2, 4, 4}, 1), b = filled<Pixel>({2, 4, 4}, 1);
  for (Index i = 16; i < 32; ++i) b[i] = 3;
  const Comparison result = compare_images(a.view(), b.view(), {});
  const double c1 = std::pow(0.01 * 3, 2);
  const double first = (2 * 2 * 1 + c1) / (4 + 1 + c1), second = (2 * 2 * 3 + c1) / (4 + 9 + c1);
  EXPECT_NEAR(result.ssim, (first + second) / 2, 1e-6);
}

TEST(Metrics, MaskLeavesPixelsOut) {
  const auto b = pattern({8, 9});
  auto a = clone(b);
  a[0] = 100;
  auto mask = filled<float>({8, 9}, 1);
  mask[0] = 0;
  const Comparison result = compare_images(a.view(), b.view(), mask.view());
  EXPECT_EQ(result.nrmse_plain, 0);
  EXPECT_EQ(result.pixels, 71);
  const auto nothing = filled<float>({8, 9}, 0);
  EXPECT_THROW(compare_images(a.view(), b.view(), nothing.view()), Error);
}

TEST(Metrics, WhatCannotBeComparedIsSaid) {
  const auto a = pattern({4, 4});
  const auto other = pattern({4, 5});
  const auto zero = filled<Pixel>({4, 4}, 0);
  auto infinite = clone(a);
  infinite[3] = INFINITY;
  EXPECT_THROW(compare_images(a.view(), other.view(), {}), Error);
  EXPECT_THROW(compare_images(a.view(), zero.view(), {}), Error);
  EXPECT_THROW(compare_images(infinite.view(), a.view(), {}), Error);
}

}  // namespace
}  // namespace larmor::app
