#include "mri/phantom_scan.hpp"

#include <larmor/mri/calibration/calibration_quality.hpp>
#include <larmor/mri/coils/central_part.hpp>

namespace larmor {
namespace {

Array<double> lines(Index every, Index central) {
  std::vector<double> k;
  for (Index y = -32; y < 32; ++y)
    for (Index x = -32; x < 32; ++x)
      if (y % every == 0 || std::abs(y) <= central) {
        k.push_back(static_cast<double>(x) / 64);
        k.push_back(static_cast<double>(y) / 64);
      }
  Array<double> result({static_cast<Index>(k.size()) / 2, 2});
  std::copy(k.begin(), k.end(), result.begin());
  return result;
}

TEST(SampledCentre, OfCartesianLines) {
  Context ctx;
  EXPECT_EQ(sampled_centre(lines(1, 0), {64, 64}, 24, ctx), 24);
  EXPECT_LT(sampled_centre(lines(2, 0), {64, 64}, 24, ctx), 4);
  // Lines −5 … 5 and every second one: the first gap is near line 7.
  EXPECT_NEAR(static_cast<double>(sampled_centre(lines(2, 5), {64, 64}, 24, ctx)), 14, 1);
  EXPECT_NEAR(static_cast<double>(sampled_centre(lines(4, 5), {64, 64}, 24, ctx)), 12, 1);
}

TEST(SampledCentre, OfSpokesEndsWhereTheyAreTooFarApart) {
  Context ctx;
  for (const Index spokes : {16, 24, 200}) {
    std::vector<double> k;
    for (Index s = 0; s < spokes; ++s) {
      const auto line =
          test::spoke(std::numbers::pi * static_cast<double>(s) / static_cast<double>(spokes), 128);
      k.insert(k.end(), line.begin(), line.end());
    }
    const auto found = sampled_centre(View<const double>(k.data(), {static_cast<Index>(k.size()) / 2, 2}),
                                      {64, 64}, 24, ctx);
    // Spokes are π r / spokes apart, so positions are up to half of that from the nearest spoke; the limit is
    // 0.8.
    const double edge = std::min(24.0, 2 * 1.6 * static_cast<double>(spokes) / std::numbers::pi);
    EXPECT_NEAR(static_cast<double>(found), edge, 2.5) << spokes;
  }
  EXPECT_EQ(sampled_centre(Array<double>({0, 2}), {64, 64}, 24, ctx), 0);
}

TEST(StrongestCopy, IsAsStrongAsTheObjectForALatticeWithHoles) {
  Context ctx;
  const auto of = [&](View<const double> k) { return strongest_copy(k, {64, 64}, 24, ctx); };
  for (const Index every : {2, 3, 4}) EXPECT_NEAR(of(lines(every, 0)), 1, 0.01) << every;
  EXPECT_LT(of(lines(1, 0)), 0.3);
  // Lines −4 … 4 and every second one: 12 or 13 form a lattice, the 4 others fit it with the opposite sign.
  EXPECT_NEAR(of(lines(2, 4)), 0.5, 0.1);
  std::vector<double> k;
  for (Index s = 0; s < 8; ++s) {
    const auto line = test::spoke(std::numbers::pi * static_cast<double>(s) / 8, 128);
    k.insert(k.end(), line.begin(), line.end());
  }
  EXPECT_LT(of(View<const double>(k.data(), {static_cast<Index>(k.size()) / 2, 2})), 0.5);
  EXPECT_EQ(of(Array<double>({0, 2})), 0);
}

TEST(UnexplainedEnergy, IsSmallForTrueMapsAndLargeForOthers) {
  Context ctx;
  const Shape shape{64, 64};
  const auto phantom = test::head_with_coils(2, 5);
  const auto k = lines(2, 8);
  const auto samples = converted<std::complex<float>>(phantom.kspace(k, shape, ctx).view());
  const auto maps = phantom.maps(shape, ctx);
  EXPECT_LT(unexplained_energy(k, samples, maps, 48, ctx), 5e-3);
  // The maps are assigned to the wrong coils.
  auto wrong = clone(maps);
  for (Index c = 0; c < 5; ++c)
    std::copy_n(maps.data() + (c + 1) % 5 * shape.size(), shape.size(), wrong.data() + c * shape.size());
  EXPECT_GT(unexplained_energy(k, samples, wrong, 48, ctx), 0.1);
}

}  // namespace
}  // namespace larmor
