// Tissue parameters by matching, of exact signals and of a simulated scan of tubes.
#include "error_of.hpp"

#include <larmor/mri/dictionary/match.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using testing::HasSubstr;
using C = std::complex<float>;
using Sequence = SignalModel::Sequence;

SignalModel echo_train(Index echoes, double spacing_ms) {
  SignalModel model;
  for (Index e = 1; e <= echoes; ++e) model.times_ms.push_back(spacing_ms * static_cast<double>(e));
  return model;
}

// Images [frames, 1, voxels] of a factor times signals.
Array<C> images_of(const SignalModel& model, const std::vector<Tissue>& tissues, C factor) {
  const auto voxels = static_cast<Index>(tissues.size());
  Array<C> images({model.frames(), 1, voxels});
  for (Index x = 0; x < voxels; ++x) {
    const auto signal = signal_of(model, tissues[static_cast<std::size_t>(x)]);
    for (Index f = 0; f < model.frames(); ++f)
      images[f * voxels + x] = factor * static_cast<float>(signal[static_cast<std::size_t>(f)]);
  }
  return images;
}

TEST(Match, FindsT2AndTheFactorOfEchoes) {
  Context ctx;
  const auto model = echo_train(16, 12);
  const auto dictionary = dictionary_of(model, ctx);
  const C factor(0.3F, -2.0F);
  const auto images = images_of(model, {{900, 20}, {900, 80}, {900, 450}}, factor);
  const auto basis = subspace_from_dictionary(dictionary.curves, 4);
  const auto direct = match_dictionary(images, dictionary, nullptr, ctx);
  // The coefficients Φᴴρ of the same images.
  Array<C> coefficients({4, 1, 3});
  for (Index l = 0; l < 4; ++l)
    for (Index x = 0; x < 3; ++x) {
      std::complex<double> sum = 0;
      for (Index f = 0; f < 16; ++f)
        sum += std::conj(basis.vectors[f * 4 + l]) * std::complex<double>(images[f * 3 + x]);
      coefficients[l * 3 + x] = C(sum);
    }
  const auto in_basis = match_dictionary(coefficients, dictionary, &basis, ctx);
  for (const MatchedMaps* maps : {&direct, &in_basis}) {
    const double expected[] = {20, 80, 450};
    for (Index x = 0; x < 3; ++x) {
      EXPECT_NEAR(maps->parameters[0][x] / expected[x], 1, 0.012);
      EXPECT_NEAR(std::abs(maps->proton_density[x] / factor - 1.0F), 0, 0.012);
    }
  }
}

TEST(Match, FindsT1AndT2OfAFingerprint) {
  Context ctx;
  SignalModel model{.sequence = Sequence::fisp, .inversion_ms = 20, .echo_ms = 2};
  for (int n = 0; n < 60; ++n) {
    model.flips_deg.push_back(10 + 50 * std::abs(std::sin(0.1 * n)));
    model.times_ms.push_back(12);
  }
  const std::vector<Tissue> tissues{{500, 60}, {1000, 50}, {2600, 500}};
  const auto maps = match_dictionary(images_of(model, tissues, 1), dictionary_of(model, ctx), nullptr, ctx);
  for (std::size_t x = 0; x < tissues.size(); ++x) {
    EXPECT_NEAR(maps.parameters[0][static_cast<Index>(x)] / tissues[x].t1_ms, 1, 0.03);
    EXPECT_NEAR(maps.parameters[1][static_cast<Index>(x)] / tissues[x].t2_ms, 1, 0.04);
  }
}

TEST(Match, OfAScanOfTubesHasTheirT2) {
  Context ctx;
  SimulationOptions options;
  options.matrix = {32, 32, 1};
  options.coils = 4;
  options.object = SimulatedObject::tubes;
  options.signal = echo_train(8, 25);
  options.readouts = 8 * 16;
  options.noise = 0.005;
  const Simulation scan = simulate_scan(options, ctx);
  ASSERT_EQ(scan.truth.shape(), (Shape{8, 32, 32}));
  const auto dictionary = dictionary_of(*options.signal, ctx);
  const auto basis = subspace_from_dictionary(dictionary.curves, 3);
  ReconstructOptions how;
  how.coils.maps = scan.maps.view();
  how.frames.basis = basis.vectors.view();
  const Reconstruction result = reconstruct(scan.scan, how, ctx);
  ASSERT_EQ(result.series.images.size(), 3U);
  Array<C> coefficients({3, 32, 32});
  for (Index l = 0; l < 3; ++l)
    std::copy(result.series.images[static_cast<std::size_t>(l)].pixels.begin(),
              result.series.images[static_cast<std::size_t>(l)].pixels.end(), coefficients.data() + l * 1024);
  const auto maps = match_dictionary(coefficients, dictionary, &basis, ctx);
  const auto parts = object_parts(SimulatedObject::tubes, 2);
  const auto tissues = tube_tissues();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto x = std::lround(32 * parts[i].centre[0]) + 16, y = std::lround(32 * parts[i].centre[1]) + 16;
    // Decays that outlast the 200 ms of the echoes are less certain.
    EXPECT_NEAR(maps.parameters[0][y * 32 + x] / tissues[i].t2_ms, 1, tissues[i].t2_ms < 400 ? 0.08 : 0.25)
        << i;
  }
}

TEST(Match, VoxelsOfZerosAreZeroAndMismatchesAreRefused) {
  Context ctx;
  const auto dictionary = dictionary_of(echo_train(4, 20), ctx);
  const auto maps = match_dictionary(filled<C>({4, 1, 2}, 0), dictionary, nullptr, ctx);
  for (Index x = 0; x < 2; ++x) EXPECT_EQ(maps.parameters[0][x] + std::abs(maps.proton_density[x]), 0);
  const auto basis = subspace_from_dictionary(dictionary.curves, 2);
  const auto three = filled<C>({3, 1, 2}, 1);
  EXPECT_THAT(error_of([&] { match_dictionary(three, dictionary, nullptr, ctx); }),
              HasSubstr("3 images to match, but the time courses of the dictionary have 4 frames"));
  EXPECT_THAT(error_of([&] { match_dictionary(three, dictionary, &basis, ctx); }),
              HasSubstr("3 images to match, but the basis has 2 coefficients"));
  const auto other = subspace_from_dictionary(dictionary_of(echo_train(5, 20), ctx).curves, 3);
  EXPECT_THAT(error_of([&] { match_dictionary(three, dictionary, &other, ctx); }),
              HasSubstr("a basis of 5 frames and a dictionary of 4"));
  EXPECT_THAT(
      error_of([&] { given_dictionary(clone(dictionary.curves.view()), filled<double>({3}, 1), {"T2"}); }),
      HasSubstr("values of shape [3]"));
}

}  // namespace
}  // namespace larmor::test
