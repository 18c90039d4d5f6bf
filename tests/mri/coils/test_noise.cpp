#include "error_of.hpp"

#include <larmor/mri/coils/noise.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace larmor {
namespace {

using Complex = std::complex<double>;
using testing::HasSubstr;
using testing::StartsWith;

std::string input_error_of(const auto& action) {
  const std::string error = test::error_of(action);
  EXPECT_THAT(error, StartsWith("3: "));
  return error;
}

Array<std::complex<float>> correlated_noise(Index channels, Index samples, double scale) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal;
  Array<std::complex<float>> noise({channels, samples});
  for (Index j = 0; j < samples; ++j) {
    Complex previous = 0;
    for (Index c = 0; c < channels; ++c) {
      const Complex own =
          Complex(normal(generator), normal(generator)) * scale * (1.0 + static_cast<double>(c));
      noise[c * samples + j] = std::complex<float>(own + Complex(0.3, -0.5) * previous);
      previous = own;
    }
  }
  return noise;
}

TEST(Noise, SamplesOfAnotherShapeAreTheCallersMistake) {
  const Array<std::complex<float>> one_axis({4});
  EXPECT_THAT(test::error_of([&] { noise_covariance(one_axis); }), StartsWith("2: "));
}

TEST(Noise, CovarianceOfHandMadeSamples) {
  // Two channels, four samples: b = i·a, so Ψ = v [[1, −i], [i, 1]] with v = (1 + 4 + 9 + 1)/3.
  Array<std::complex<float>> noise({2, 4});
  const float values[4] = {1, 2, -3, 1};
  for (Index j = 0; j < 4; ++j) {
    noise[j] = values[j];
    noise[4 + j] = std::complex<float>(0, values[j]);
  }
  const auto covariance = noise_covariance(noise);
  EXPECT_NEAR(std::abs(covariance[0] - Complex(5, 0)), 0, 1e-12);
  EXPECT_NEAR(std::abs(covariance[1] - Complex(0, -5)), 0, 1e-12);
  EXPECT_NEAR(std::abs(covariance[2] - Complex(0, 5)), 0, 1e-12);
  EXPECT_NEAR(std::abs(covariance[3] - Complex(5, 0)), 0, 1e-12);
}

TEST(Noise, WhiteningGivesUnitComplexVariance) {
  Context ctx;
  const Index channels = 5, samples = 4000;
  const auto noise = correlated_noise(channels, samples, 3e-4);
  const double factor = 0.793 * 2.5;
  const auto whitening = whitening_matrix(noise_covariance(noise), factor);
  const auto white = apply_channel_matrix(whitening, noise, ctx);
  const auto covariance = noise_covariance(white);
  for (Index a = 0; a < channels; ++a)
    for (Index b = 0; b < channels; ++b)
      EXPECT_NEAR(std::abs(covariance[a * channels + b] - (a == b ? factor : 0.0)), 0, 1e-5) << a << ' ' << b;
}

TEST(Noise, WhiteningMatrixOfADiagonalCovariance) {
  auto covariance = filled<Complex>({2, 2}, 0.0);
  covariance[0] = 4;
  covariance[3] = 0.25;
  const auto whitening = whitening_matrix(covariance, 9.0);
  EXPECT_NEAR(std::abs(whitening[0] - 1.5), 0, 1e-14);
  EXPECT_NEAR(std::abs(whitening[3] - 6.0), 0, 1e-14);
  EXPECT_EQ(whitening[1], 0.0);
  EXPECT_EQ(whitening[2], 0.0);
}

TEST(Noise, RefusesSingularCovarianceAndNamesTheChannel) {
  auto noise = correlated_noise(4, 100, 1);
  for (Index j = 0; j < 100; ++j) noise[2 * 100 + j] = 0;
  EXPECT_THAT(input_error_of([&] { whitening_matrix(noise_covariance(noise), 1); }), HasSubstr("channel 2"));
  for (Index j = 0; j < 100; ++j) noise[2 * 100 + j] = noise[j] * 2.0F;
  EXPECT_THAT(input_error_of([&] { whitening_matrix(noise_covariance(noise), 1); }),
              HasSubstr("channel 2 is a combination"));
  auto indefinite = filled<Complex>({2, 2}, 2.0);
  indefinite[0] = indefinite[3] = 1.0;
  EXPECT_THAT(input_error_of([&] { whitening_matrix(indefinite, 1); }), HasSubstr("singular"));
}

TEST(Noise, RefusesTooFewOrBrokenSamples) {
  EXPECT_THAT(input_error_of([&] { noise_covariance(correlated_noise(8, 15, 1)); }), HasSubstr("15 samples"));
  auto noise = correlated_noise(2, 100, 1);
  noise[103] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(input_error_of([&] { noise_covariance(noise); }), HasSubstr("sample 3 of channel 1"));
  auto covariance = identity_matrix(2);
  EXPECT_THAT(input_error_of([&] { whitening_matrix(covariance, 0); }), HasSubstr("bandwidth"));
}

TEST(Noise, ChannelMatrixMixesEveryPixel) {
  Context ctx;
  Array<Complex> matrix({1, 2});
  matrix[0] = Complex(0, 1);
  matrix[1] = 2;
  Array<std::complex<float>> in({2, 2, 3});
  for (Index i = 0; i < in.size(); ++i) in[i] = std::complex<float>(static_cast<float>(i), 1);
  const auto out = apply_channel_matrix(matrix, in, ctx);
  ASSERT_EQ(out.shape(), (Shape{1, 2, 3}));
  for (Index i = 0; i < 6; ++i) {
    const auto expected = std::complex<float>(0, 1) * in[i] + 2.0F * in[6 + i];
    EXPECT_NEAR(std::abs(out[i] - expected), 0, 1e-5);
  }
  Array<std::complex<float>> wrong({2, 2, 3});
  EXPECT_THROW(apply_channel_matrix(matrix, in, wrong, ctx), Error);
}

TEST(Noise, ProductInverseAndTranspose) {
  const auto matrix = whitening_matrix(noise_covariance(correlated_noise(3, 60, 1)), 1);
  const auto product = matrix_product(matrix, matrix_inverse(matrix));
  for (Index i = 0; i < 9; ++i) EXPECT_NEAR(std::abs(product[i] - (i % 4 == 0 ? 1.0 : 0.0)), 0, 1e-12);
  const auto transposed = conjugate_transpose(matrix);
  EXPECT_EQ(transposed[1], std::conj(matrix[3]));
  EXPECT_THAT(input_error_of([&] { matrix_inverse(filled<Complex>({3, 3}, 1.0)); }), HasSubstr("singular"));
}

}  // namespace
}  // namespace larmor
