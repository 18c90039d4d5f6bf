#include "random_arrays.hpp"

#include <larmor/mri/coils/coil_compression.hpp>
#include <larmor/mri/coils/noise.hpp>

#include <gtest/gtest.h>

#include <random>

namespace larmor {
namespace {

using Complex = std::complex<double>;

Array<std::complex<float>> random_samples(Index coils, Index samples, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<float> normal;
  Array<std::complex<float>> data({coils, samples});
  for (auto& value : data) value = {normal(generator), normal(generator)};
  return data;
}

TEST(CoilCompression, RowsAreOrthonormal) {
  Context ctx;
  const auto data = random_samples(7, 9001, 3);
  const auto matrix = compression_matrix(data, 4, ctx);
  ASSERT_EQ(matrix.shape(), (Shape{4, 7}));
  const auto product = matrix_product(matrix, conjugate_transpose(matrix));
  for (Index i = 0; i < 16; ++i) EXPECT_NEAR(std::abs(product[i] - (i % 5 == 0 ? 1.0 : 0.0)), 0, 1e-12);
}

TEST(CoilCompression, RankTwoDataLoseNothingInTwoVirtualCoils) {
  Context ctx;
  const auto sources = random_samples(2, 500, 5);
  Array<Complex> mixing({6, 2});
  for (Index i = 0; i < 12; ++i)
    mixing[i] = Complex(static_cast<double>(i % 5) - 1, static_cast<double>(i % 3));
  const auto data = apply_channel_matrix(mixing, sources, ctx);
  const auto matrix = compression_matrix(data, 2, ctx);
  const auto back = apply_channel_matrix(matrix_product(conjugate_transpose(matrix), matrix), data, ctx);
  EXPECT_LT(test::relative_difference(back, data), 1e-6);
}

TEST(CoilCompression, FirstVirtualCoilHasTheMostEnergy) {
  Context ctx;
  auto data = random_samples(5, 400, 8);
  for (Index j = 0; j < 400; ++j) data[3 * 400 + j] *= 10.0F;
  const auto matrix = compression_matrix(data, 5, ctx);
  EXPECT_GT(matrix[3].real(), 0.99);
  EXPECT_NEAR(matrix[3].imag(), 0, 1e-12);
  const auto compressed = apply_channel_matrix(matrix, data, ctx);
  double previous = std::numeric_limits<double>::infinity();
  for (Index row = 0; row < 5; ++row) {
    double energy = 0;
    for (Index j = 0; j < 400; ++j) energy += std::norm(compressed[row * 400 + j]);
    EXPECT_LE(energy, previous);
    previous = energy;
  }
}

TEST(CoilCompression, RefusesImpossibleCounts) {
  Context ctx;
  const auto data = random_samples(3, 20, 1);
  EXPECT_THROW(compression_matrix(data, 0, ctx), Error);
  EXPECT_THROW(compression_matrix(data, 4, ctx), Error);
  EXPECT_THROW(compression_matrix(filled<std::complex<float>>({3, 20}, 0), 2, ctx), Error);
}

}  // namespace
}  // namespace larmor
