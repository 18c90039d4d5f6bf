// Every feature of single images also works for series, subspaces, field maps and stacks, or is refused
// before anything is read: one test per cell of the table.
#include "device_cases.hpp"
#include "mri/small_sense.hpp"
#include "sanitizers.hpp"

#include <larmor/core/memory_limits.hpp>
#include <larmor/mri/reconstruct/options/rules.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/steps/memory.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <optional>

namespace larmor {
namespace {

using namespace test::small_sense;
using test::add_spokes;
using test::empty_scan;
using test::error_of;
using testing::HasSubstr;
using testing::StartsWith;

/// Kinds of reconstructions.
enum class Kind { single, series, subspace, field_map, stack };
enum class Feature { gridding, density, rss, coil_images, replicas, sets, tune };

struct Cell {
  Kind kind;
  Feature feature;
  std::string refused;  ///< reason of the refusal; empty: it works
};

const std::pair<Kind, const char*> kinds[] = {{Kind::single, "Single"},
                                              {Kind::series, "Series"},
                                              {Kind::subspace, "Subspace"},
                                              {Kind::field_map, "FieldMap"},
                                              {Kind::stack, "Stack"}};
const std::pair<Feature, const char*> features[] = {{Feature::gridding, "Gridding"},
                                                    {Feature::density, "Density"},
                                                    {Feature::rss, "RootSumOfSquares"},
                                                    {Feature::coil_images, "CoilImages"},
                                                    {Feature::replicas, "Replicas"},
                                                    {Feature::sets, "Sets"},
                                                    {Feature::tune, "Tune"}};

std::string refusal(Kind kind, Feature feature) {
  if (kind == Kind::subspace && feature == Feature::rss) return "loses the phase between the coefficients";
  return "";
}

std::vector<Cell> cells() {
  std::vector<Cell> result;
  for (const auto& [kind, name] : kinds)
    for (const auto& [feature, other] : features) result.push_back({kind, feature, refusal(kind, feature)});
  return result;
}

std::string name_of(const testing::TestParamInfo<Cell>& info) {
  std::string name;
  for (const auto& [kind, text] : kinds)
    if (kind == info.param.kind) name += text;
  for (const auto& [feature, text] : features)
    if (feature == info.param.feature) name += text;
  return name;
}

constexpr Index coils = 4;

/// The same frame repeated: a series of it has the image of the single frame in each frame.
Scan repeated(Index frames, Context& ctx) {
  Scan scan = empty_scan({n, n, 1}, {n, n, 5});
  const auto images = coil_images(coil_maps(coils), object(), ctx);
  for (Index frame = 0; frame < frames; ++frame) add_spokes(scan, images, spokes, ctx);
  return scan;
}

Simulation stack_of_stars_scan(Context& ctx) {
  SimulationOptions options{.trajectory = SimulatedTrajectory::stack_of_stars,
                            .matrix = {16, 16, 4},
                            .coils = coils,
                            .readouts = 26,
                            .noise = 0};
  return simulate_scan(options, ctx);
}

/// Counts the measurements that are stored.
struct CountedWisdom final : Wisdom {
  std::optional<WisdomEntry> find(const std::string&) override { return std::nullopt; }
  void store(const std::string&, const WisdomEntry&) override { ++stored; }
  int stored = 0;
};

constexpr float off_resonance_hz = 300;

/// Applies a uniform off-resonance to the samples (docs/physics.md).
void detune(Scan& scan) {
  for (const Readout& readout : scan.readouts)
    for (Index channel = 0; channel < readout.header.active_channels; ++channel)
      for (Index j = 0; j < readout.header.samples; ++j) {
        const double t = 1e-6 * static_cast<double>(readout.header.sample_time_us) *
                         static_cast<double>(j - readout.header.center_sample);
        scan.data[readout.data_offset + static_cast<std::size_t>(channel * readout.header.samples + j)] *=
            std::complex<float>(std::polar(1.0, -2 * std::numbers::pi * off_resonance_hz * t));
      }
}

/// Options and data of a kind, and those of its reference.
class Setting {
 public:
  Setting(Kind kind, Context& ctx)
      : kind_(kind), ctx_(ctx), field_(filled<float>({n, n}, off_resonance_hz)), basis_({2, 1}) {
    basis_[0] = basis_[1] = std::sqrt(0.5);
    maps_ = volume() ? std::move(stack_of_stars_scan(ctx).maps) : coil_maps(coils);
    sets_ = Maps(maps_.shape().prepend(2));
    // The second set is the first one mirrored.
    std::copy(maps_.begin(), maps_.end(), sets_.begin());
    std::reverse_copy(maps_.begin(), maps_.end(), sets_.begin() + maps_.size());
  }

  ReconstructOptions options(bool reference, Feature feature) const {
    ReconstructOptions o{.coils = {.maps = feature == Feature::sets ? sets_.view() : maps_.view()},
                         .solve = {.iterations = 40}};
    // A small tolerance, so that all methods reach the same minimum.
    o.solve.regularizers = {parse_regularizer("l2:1e-2")};
    o.transform.tolerance = 1e-5;
    o.output.kind = ImageKind::complex;
    switch (feature) {
      case Feature::gridding:
        o.solve.gridding = true;
        o.solve.regularizers.clear();
        break;
      case Feature::density:
        o.density = DensityKind::pipe;
        break;
      case Feature::rss:
        o.coils.combine = Combine::rss;
        break;
      case Feature::coil_images:
        o.coils.combine = Combine::none;
        break;
      case Feature::replicas:
        o.output.replicas = 60;
        break;
      case Feature::sets:
        o.coils.sets = 2;
        break;
      case Feature::tune:
        o.transform.tune = {.level = TuneLevel::measure, .seconds = 0.01, .wisdom = &measured};
        break;
    }
    if (!reference) of_kind(o);
    return o;
  }

  Scan scan(bool reference) const {
    if (volume()) return stack_of_stars_scan(ctx_).scan;
    Scan scan = repeated(!reference && (kind_ == Kind::series || kind_ == Kind::subspace) ? 2 : 1, ctx_);
    if (!reference && kind_ == Kind::field_map) detune(scan);
    return scan;
  }
  /// Factor of the images relative to the reference's.
  double factor() const { return kind_ == Kind::subspace ? std::sqrt(2.0) : 1; }
  mutable CountedWisdom measured;  ///< wisdom stored by tuning
  bool volume() const { return kind_ == Kind::stack; }

 private:
  void of_kind(ReconstructOptions& o) const {
    switch (kind_) {
      case Kind::series:
        o.frames.window = FrameWindow{spokes, spokes};
        break;
      case Kind::subspace:
        o.frames.window = FrameWindow{spokes, spokes};
        o.frames.basis = basis_;
        break;
      case Kind::field_map:
        o.field.frequency = field_;
        break;
      default:
        break;
    }
  }

  Kind kind_;
  Context& ctx_;
  Array<float> field_;
  Array<std::complex<double>> basis_;
  Maps maps_, sets_;
};

double norm_of(View<const std::complex<float>> image) {
  double sum = 0;
  for (Index i = 0; i < image.size(); ++i) sum += std::norm(std::complex<double>(image[i]));
  return std::sqrt(sum);
}

/// Checks of features that cannot be compared with the reference kind: known properties of their images.
void check_alone(Feature feature, const Reconstruction& found, const ReconstructOptions& options,
                 const Setting& problem, Context& ctx) {
  const auto& images = found.series.images;
  auto plain = options;
  plain.solve.gridding = false;
  plain.density = DensityKind::automatic;
  plain.output.replicas = 0;
  plain.transform.tune.level = TuneLevel::estimate;
  const auto pixels_of = [&](const ReconstructOptions& o) {
    return clone(reconstruct(problem.scan(true), o, ctx).series.images[0].pixels);
  };
  switch (feature) {
    case Feature::gridding:
      EXPECT_EQ(found.report.solution.solver, "gridding");
      EXPECT_EQ(found.report.density, "pipe");
      EXPECT_LT(difference(images[0].pixels, pixels_of(plain)), 0.5);
      break;
    case Feature::density:
    case Feature::tune:
      EXPECT_LT(difference(images[0].pixels, pixels_of(plain)), 0.1);
      break;
    case Feature::rss: {
      plain.coils.combine = Combine::none;
      const auto coil_images = pixels_of(plain);
      ASSERT_EQ(coil_images.shape()[0], coils);
      const Index pixels = images[0].pixels.size();
      for (Index p = 0; p < pixels; ++p) {
        double sum = 0;
        for (Index c = 0; c < coils; ++c) sum += std::norm(coil_images[c * pixels + p]);
        EXPECT_NEAR(images[0].pixels[p].real(), std::sqrt(sum), 1e-4);
      }
      break;
    }
    case Feature::coil_images:
      EXPECT_EQ(images[0].pixels.shape()[0], coils);
      break;
    case Feature::replicas:
      EXPECT_EQ(difference(images[0].pixels, pixels_of(plain)), 0);
      EXPECT_GT(norm_of(found.quality.deviation.images.at(0).pixels), 0);
      break;
    case Feature::sets:
      ASSERT_EQ(images.size(), 2U);
      EXPECT_EQ(images[1].counters.set, 1);
      EXPECT_GT(difference(images[0].pixels, images[1].pixels), 0.1);
      break;
  }
}

class EveryCell : public testing::TestWithParam<Cell> {};

TEST_P(EveryCell, WorksOrIsRefusedBeforeAnythingIsRead) {
  const auto& [kind, feature, refused] = GetParam();
  Context ctx(Device::cpu(), {.threads = 2});
  const Setting problem(kind, ctx);
  const auto options = problem.options(false, feature);
  if (!refused.empty()) {
    // Refused without reading the scan.
    EXPECT_THAT(error_of([&] { check_rules(options); }),
                testing::AllOf(StartsWith("2: "), HasSubstr(refused)));
    EXPECT_THAT(error_of([&] { reconstruct(Scan{}, options, ctx); }), HasSubstr(refused));
    return;
  }
  const auto found = reconstruct(problem.scan(false), options, ctx);
  EXPECT_EQ(problem.measured.stored > 0, feature == Feature::tune);
  if (feature == Feature::density) {
    EXPECT_EQ(found.report.density, "pipe");
  }
  const auto reference = reconstruct(problem.scan(true), problem.options(true, feature), ctx);
  if (kind == Kind::single || kind == Kind::stack) {
    check_alone(feature, found, options, problem, ctx);
    return;
  }
  // Equal to the single image.
  const std::size_t copies = kind == Kind::series ? 2 : 1;
  ASSERT_EQ(found.series.images.size(), copies * reference.series.images.size());
  for (std::size_t i = 0; i < found.series.images.size(); ++i) {
    auto expected = clone(reference.series.images[i % reference.series.images.size()].pixels);
    for (auto& value : expected) value *= static_cast<float>(problem.factor());
    EXPECT_LT(difference(found.series.images[i].pixels, expected), 2e-3) << i;
  }
  EXPECT_EQ(found.report.density, reference.report.density);
  if (feature != Feature::replicas) return;
  // Noise differs from draw to draw, its standard deviation little: that of a frame equals that of the image.
  for (std::size_t i = 0; i < copies; ++i) {
    const auto& deviation = found.quality.deviation.images.at(i).pixels;
    const auto& expected = reference.quality.deviation.images.at(0).pixels;
    EXPECT_NEAR(norm_of(deviation) / norm_of(expected), 1, 0.06) << i;
    EXPECT_NEAR(norm_of(found.quality.g_factor.images.at(i).pixels) /
                    norm_of(reference.quality.g_factor.images.at(0).pixels),
                1, 0.06)
        << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryCell, testing::ValuesIn(cells()), name_of);

/// With little memory, and on a GPU with data placed in host memory, processing a few coils at a time gives
/// the image of all together.
class LowMemory : public testing::TestWithParam<std::tuple<Kind, Device::Kind>> {};

std::string low_memory_name(const testing::TestParamInfo<LowMemory::ParamType>& info) {
  std::string name = std::get<1>(info.param) == Device::Kind::cuda ? "Cuda" : "Cpu";
  for (const auto& [kind, text] : kinds)
    if (kind == std::get<0>(info.param)) name += text;
  return name;
}

TEST_P(LowMemory, GivesTheSameImage) {
  if (test::with_thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer's memory counts as the program's";
  const auto& [kind, device_kind] = GetParam();
  const Device device{device_kind, 0};
  test::skip_without(device);
  if (testing::Test::IsSkipped() || testing::Test::HasFatalFailure()) return;
  const auto with_limit = [&](std::size_t limit) {
    return Context(device, {.threads = 2, .memory_limit = limit});
  };
  Context plenty = with_limit(std::size_t{8} << 30), host = plenty.host();
  SimulationOptions simulation;
  const bool stack = kind == Kind::stack;
  simulation.trajectory = stack ? SimulatedTrajectory::stack_of_stars : SimulatedTrajectory::kooshball;
  simulation.matrix = {36, 36, 36};
  simulation.coils = 12;
  simulation.readouts = stack ? 24 : 600;
  simulation.seed = 1;
  ReconstructOptions options{.solve = {.iterations = 4}, .output = {.kind = ImageKind::complex}};
  // For samples that are dense in the centre, iterations amplify differences between transforms.
  options.solve.precision = Precision::double_precision;
  options.transform.tolerance = 1e-7;
  Array<float> field({36, 36, 36});
  for (Index i = 0; i < field.size(); ++i) field[i] = 20 * std::sin(0.2F * static_cast<float>(i % 36));
  Array<std::complex<double>> basis({2, 1});
  basis[0] = 1;
  basis[1] = 0.5;
  if (kind == Kind::series || kind == Kind::subspace) options.frames.window = FrameWindow{300, 300};
  if (kind == Kind::subspace) options.frames.basis = basis;
  if (kind == Kind::field_map) options.field.frequency = field;
  const auto simulated = simulate_scan(simulation, host);
  options.coils.maps = simulated.maps;
  const auto scan = [&] {
    Scan copy = simulated.scan;
    return copy;
  };
  // Resets the process's peak memory, which earlier tests have raised.
  std::ofstream("/proc/self/clear_refs") << "5";
  const auto plan = plan_scan(simulated.scan, prepare_options(options));
  const auto preview = [&](Context& ctx) {
    return preview_reconstruction(simulated.scan, plan, options, ctx);
  };
  // The smallest limit for which a plan exists.
  std::size_t too_small = 0, enough = preview(plenty).memory.total();
  while (enough - too_small > 100000) {
    const std::size_t limit = (too_small + enough) / 2;
    Context tight = with_limit(limit);
    (error_of([&] { preview(tight); }).empty() ? enough : too_small) = limit;
  }
  Context least = with_limit(too_small / 10 * 9);
  EXPECT_THAT(error_of([&] { reconstruct(scan(), options, least); }), HasSubstr("not enough memory"));
  // The plan includes the process itself, which grows slightly until then; tables of a field map, whose
  // number is found later, are added.
  std::optional<Reconstruction> found;
  std::size_t limit = enough;
  for (int step = 0; step < 20 && !found; ++step) {
    limit += std::size_t{8} << 20;
    Context tight = with_limit(limit);
    const std::string error = error_of([&] { found = reconstruct(scan(), options, tight); });
    if (!error.empty()) {
      ASSERT_THAT(error, HasSubstr("not enough memory"));
    }
  }
  ASSERT_TRUE(found);
  const Reconstruction& parts = *found;
  EXPECT_GT(parts.report.memory.coil_block, 0) << format_bytes(limit);
  EXPECT_EQ(parts.report.memory.placement, Placement::host);
  EXPECT_LE(parts.report.memory.plan.total(), limit);
  const Reconstruction whole = reconstruct(scan(), options, plenty);
  EXPECT_EQ(whole.report.memory.coil_block, 0);
  EXPECT_EQ(whole.report.memory.placement, Placement::device);
  EXPECT_LT(parts.report.memory.plan.total(), whole.report.memory.plan.total());
  ASSERT_EQ(parts.series.images.size(), whole.series.images.size());
  for (std::size_t i = 0; i < whole.series.images.size(); ++i)
    EXPECT_LT(difference(parts.series.images[i].pixels, whole.series.images[i].pixels), 1e-3) << i;
}

INSTANTIATE_TEST_SUITE_P(Table, LowMemory,
                         testing::Combine(testing::Values(Kind::single, Kind::series, Kind::subspace,
                                                          Kind::field_map, Kind::stack),
                                          testing::Values(Device::Kind::cpu, Device::Kind::cuda)),
                         low_memory_name);

}  // namespace
}  // namespace larmor
