#include <larmor/core/error.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/coils/coil_compression.hpp>
#include <larmor/mri/coils/geometric_compression.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace larmor {
namespace {

using C = std::complex<double>;

constexpr Index positions = 12, coils = 6, samples = 400;

// Two sources at every position, seen by coils that change smoothly from one end to the other.
Array<std::complex<float>> two_sources_at_every_position() {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  auto data = filled<std::complex<float>>({positions, coils, samples}, 0);
  for (Index p = 0; p < positions; ++p)
    for (Index j = 0; j < samples; ++j) {
      const C first(normal(generator), normal(generator)), second(normal(generator), normal(generator));
      for (Index c = 0; c < coils; ++c) {
        const double place = 0.5 * static_cast<double>(p) - static_cast<double>(c);
        data[(p * coils + c) * samples + j] = std::complex<float>(
            2.0 * std::exp(-0.3 * place * place) * first +
            std::polar(std::exp(-0.2 * (place + 1) * (place + 1)), 0.7 * static_cast<double>(c)) * second);
      }
    }
  return data;
}

double distance(View<const C> a, View<const C> b) {
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i) sum += std::norm(a[i] - b[i]);
  return std::sqrt(sum);
}

TEST(GeometricCompression, KeepsAllWhereFewCoilsMatter) {
  Context ctx;
  const auto data = two_sources_at_every_position();
  const auto matrices = geometric_compression(data, 2, ctx);
  ASSERT_EQ(matrices.shape(), (Shape{positions, 2, coils}));
  const double energy = squared_norm<float>(data, ctx);
  const auto compressed = compress_positions(matrices, data, ctx);
  EXPECT_NEAR(squared_norm<float>(compressed, ctx) / energy, 1, 1e-5);
  // One matrix for all positions is not sufficient.
  Array<std::complex<float>> together({coils, positions * samples});
  for (Index p = 0; p < positions; ++p)
    for (Index c = 0; c < coils; ++c)
      for (Index j = 0; j < samples; ++j)
        together[(c * positions + p) * samples + j] = data[(p * coils + c) * samples + j];
  const auto one = compression_matrix(together, 2, ctx);
  double kept = 0;
  for (Index p = 0; p < positions; ++p) {
    Array<C> same({1, 2, coils});
    std::copy(one.begin(), one.end(), same.begin());
    kept += squared_norm<float>(compress_positions(same, data.view().slices(p, 1), ctx), ctx);
  }
  EXPECT_LT(kept / energy, 0.95);
}

TEST(GeometricCompression, VirtualCoilsAreOrthonormalAndVarySmoothly) {
  Context ctx;
  const auto data = two_sources_at_every_position();
  const auto matrices = geometric_compression(data, 2, ctx);
  double aligned = 0, alone = 0;
  for (Index p = 0; p < positions; ++p) {
    const auto rows = matrices.view().slice(p);
    for (Index a = 0; a < 2; ++a)
      for (Index b = 0; b < 2; ++b) {
        C inner = 0;
        for (Index c = 0; c < coils; ++c) inner += rows[a * coils + c] * std::conj(rows[b * coils + c]);
        EXPECT_NEAR(std::abs(inner - (a == b ? 1.0 : 0.0)), 0, 1e-9);
      }
    if (p == 0) continue;
    aligned += distance(rows, matrices.view().slice(p - 1));
    alone += distance(compression_matrix(data.view().slice(p), 2, ctx),
                      compression_matrix(data.view().slice(p - 1), 2, ctx));
  }
  EXPECT_LT(aligned, alone);
  EXPECT_LT(aligned / static_cast<double>(positions - 1), 0.4);
}

TEST(GeometricCompression, PositionsWithoutSignalFollowTheirNeighbour) {
  Context ctx;
  auto data = two_sources_at_every_position();
  for (Index i = 0; i < 2 * coils * samples; ++i) data[i] = 0;
  const auto matrices = geometric_compression(data, 3, ctx);
  EXPECT_EQ(distance(matrices.view().slice(0), matrices.view().slice(2)), 0);
  EXPECT_THROW(geometric_compression(filled<std::complex<float>>({2, 3, 4}, 0), 2, ctx), Error);
  EXPECT_THROW(geometric_compression(data, coils + 1, ctx), Error);
}

}  // namespace
}  // namespace larmor
