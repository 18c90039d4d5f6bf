// The meaning of λ must not depend on the units of the data, on repeated readouts, or on the density of
// samples along a readout. For every row of the table of regularisers, so that new ones are tested, too.
#include "mri/exact_samples.hpp"
#include "mri/synthetic_scan.hpp"
#include "random_arrays.hpp"

#include <larmor/mri/quality/kspace_region.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/solvers/regularizers/registry.hpp>

#include <fmt/format.h>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using C = std::complex<float>;
using D = std::complex<double>;

constexpr Index n = 24, coils = 3, frames = 3, spokes_of_frame = 14;
constexpr double enough = 0.01;  // largest accepted change of an image
constexpr const char* lambda = "6e-2";

/// Golden spokes; two discs, of which one fades from frame to frame.
Scan fading_discs(Index samples, Context& ctx) {
  PhantomPart body, spot;
  body.radii = {0.36, 0.4, 0.4};
  body.intensity = 0.6;
  spot.centre = {0.08, -0.06, 0};
  spot.radii = {0.14, 0.1, 0.1};
  const auto ring = coil_ring(2, coils);
  std::vector<Tissue> object;
  object.push_back({Phantom(2, {body}, ring), [](double) { return D(1); }});
  object.push_back({Phantom(2, {spot}, ring), [](double frame) { return D(0.6 - 0.2 * frame); }});
  Scan scan = empty_scan({n, n, 1}, {n, n, 5});
  for (Index s = 0; s < frames * spokes_of_frame; ++s) {
    const Index frame = s / spokes_of_frame;
    const auto k = spoke(std::numbers::pi * 0.618034 * static_cast<double>(s), samples);
    const std::vector<double> exact(k.begin(), k.end());
    const auto y = converted<C>(tissue_samples(object, {n, n}, View<const double>(exact.data(), {samples, 2}),
                                               filled<double>({samples}, static_cast<double>(frame)), ctx)
                                    .view());
    add_readout(scan, k, 2, coils, {y.begin(), y.end()}).counters.repetition =
        static_cast<std::uint16_t>(frame);
  }
  return scan;
}

void multiply_data(Scan& scan, float factor) {
  for (C& value : scan.data) value *= factor;
}

/// Repeats every imaging readout as another average.
void repeat_readouts(Scan& scan) {
  for (std::size_t i = 0, count = scan.readouts.size(); i < count; ++i) {
    Readout again = scan.readouts[i];
    if (again.header.has(AcquisitionFlag::noise)) continue;
    again.header.average = 1;
    const auto values = static_cast<std::size_t>(again.header.samples) * again.header.active_channels;
    const std::vector<C> data(scan.data.begin() + static_cast<std::ptrdiff_t>(again.data_offset),
                              scan.data.begin() + static_cast<std::ptrdiff_t>(again.data_offset + values));
    again.data_offset = scan.data.size();
    scan.data.insert(scan.data.end(), data.begin(), data.end());
    scan.readouts.push_back(again);
  }
}

std::vector<std::string> terms(bool with_constraints) {
  std::vector<std::string> names;
  for (const RegularizerRow& row : regularizer_table())
    if (row.takes_lambda || with_constraints) names.emplace_back(row.name);
  return names;
}
std::string name_of(const testing::TestParamInfo<std::string>& info) {
  return info.param == "l+s" ? "low_rank_sparse" : info.param;
}

class Invariance : public testing::TestWithParam<std::string> {
 protected:
  Reconstruction solve(Scan scan, const std::string& weight, bool whiten = true) {
    ReconstructOptions options{
        .coils = {.maps = maps_},
        .transform = {.tolerance = 1e-4},
        .solve = {.regularizers = {parse_regularizer(
                      find_regularizer(GetParam()).takes_lambda ? GetParam() + ":" + weight : GetParam())},
                  .iterations = 60}};
    options.prepare.whiten = whiten;
    options.prepare.units = TrajectoryUnits::normalised;
    return reconstruct(std::move(scan), options, ctx_);
  }
  static Array<C> images(const Reconstruction& result, double unit = 1) {
    Array<C> all({frames, n, n});
    EXPECT_EQ(result.series.images.size(), std::size_t{frames});
    for (Index i = 0; i < all.size(); ++i)
      all[i] = C(D(result.series.images[static_cast<std::size_t>(i / (n * n))].pixels[i % (n * n)]) / unit);
    return all;
  }

  /// Relative to the second image, within the disc that spokes sample: neither data nor a temporal
  /// regulariser determine the corners. Also recorded in the test's XML output.
  double change(const std::string& by, const Array<C>& other, const Array<C>& image) {
    Array<float> disc({n, n});
    for (Index i = 0; i < n * n; ++i) disc[i] = std::hypot(i / n - n / 2, i % n - n / 2) <= n / 2 ? 1 : 0;
    const double found =
        relative_difference(inside_of_kspace(other, disc, ctx_), inside_of_kspace(image, disc, ctx_));
    RecordProperty(by, fmt::format("{:.1e}", found));
    return found;
  }

  Context ctx_{Device::cpu(), {.threads = 1}};
  Array<C> maps_ = Phantom(2, {}, coil_ring(2, coils)).maps({n, n}, ctx_);
};

class GivenLambda : public Invariance {};

TEST_P(GivenLambda, MeansTheSame) {
  const Scan scan = fading_discs(2 * n, ctx_);
  const auto image = images(solve(scan, lambda));

  Scan louder = scan;
  multiply_data(louder, 1000);
  EXPECT_LT(change("units", images(solve(louder, lambda), 1000), image), enough);

  Scan twice = scan;
  repeat_readouts(twice);
  EXPECT_LT(change("repeated", images(solve(twice, lambda)), image), enough);

  // Density weights of other samples differ slightly, too.
  EXPECT_LT(change("denser", images(solve(fading_discs(4 * n, ctx_), lambda)), image), 2 * enough);

  // The test would detect a λ that is off by a factor of two.
  if (!find_regularizer(GetParam()).takes_lambda) return;
  EXPECT_GT(change("twice_lambda", images(solve(scan, "1.2e-1")), image), 2 * enough);
  EXPECT_GT(change("half_lambda", images(solve(scan, "3e-2")), image), 1.5 * enough);
}

INSTANTIATE_TEST_SUITE_P(Terms, GivenLambda, testing::ValuesIn(terms(true)), name_of);

class AutomaticLambda : public Invariance {
 protected:
  static constexpr float sigma = 2;

  /// Noise on the samples, and a noise readout that shows it.
  static void add_noise(Scan& scan) {
    const auto noise = random_complex({static_cast<Index>(scan.data.size())}, 3);
    for (std::size_t i = 0; i < scan.data.size(); ++i)
      scan.data[i] += sigma * std::sqrt(0.5F) * noise[static_cast<Index>(i)];
    constexpr Index samples = 4096;
    auto measured = random_complex({coils * samples}, 4);
    for (C& value : measured) value *= sigma * std::sqrt(0.5F);
    auto& header = add_readout(scan, {}, 0, coils, {measured.begin(), measured.end()}, samples);
    header.set(AcquisitionFlag::noise);
    scan.relative_noise_bandwidth = 1;
  }
};

TEST_P(AutomaticLambda, FollowsTheDataNotTheirUnits) {
  Scan scan = fading_discs(2 * n, ctx_);
  add_noise(scan);
  Scan louder = scan;
  multiply_data(louder, 1000);
  for (const bool known : {true, false}) {
    const auto plain = solve(scan, "auto", known);
    EXPECT_EQ(plain.report.solution.lambda_choice.criterion,
              known ? LambdaCriterion::sure : LambdaCriterion::gcv);
    EXPECT_LT(change(known ? "units" : "units_unknown_noise", images(solve(louder, "auto", known), 1000),
                     images(plain)),
              enough)
        << to_string(plain.report.solution.lambda_choice.criterion);
  }
}

// Each readout twice, with independent noise of twice the variance, whose mean is the noise of the single
// readout: the information is the same, so the same λ must be found.
TEST_P(AutomaticLambda, FollowsTheInformationNotTheNumberOfReadouts) {
  Scan scan = fading_discs(2 * n, ctx_);
  const std::size_t imaging = scan.data.size();
  add_noise(scan);
  const auto plain = solve(scan, "auto");
  Scan twice = scan;
  repeat_readouts(twice);
  const std::size_t first_repeated = twice.data.size() - imaging;
  const auto apart = random_complex({static_cast<Index>(imaging)}, 5);
  for (std::size_t i = 0; i < imaging; ++i) {
    const C difference = sigma * std::sqrt(0.5F) * apart[static_cast<Index>(i)];
    twice.data[i] += difference;
    twice.data[first_repeated + i] -= difference;
  }
  for (std::size_t i = imaging; i < first_repeated; ++i) twice.data[i] *= std::sqrt(2.0F);
  const auto found = solve(twice, "auto");
  // The divergence is estimated with one random probe, which differs between the two.
  const double ratio =
      found.report.solution.lambda_choice.lambda / plain.report.solution.lambda_choice.lambda;
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_GT(ratio, 0.75);
  EXPECT_LT(ratio, 1.33);
}

INSTANTIATE_TEST_SUITE_P(Terms, AutomaticLambda, testing::ValuesIn(terms(false)), name_of);

}  // namespace
}  // namespace larmor::test
