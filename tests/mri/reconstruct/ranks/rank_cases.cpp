#include "mri/reconstruct/ranks/rank_cases.hpp"

#include "mri/phantom_scan.hpp"

#include <larmor/mri/reconstruct/steps/divide.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

namespace larmor::test {
namespace {

// Each of two ranks has a number of coils that is not a multiple of the plan's block size.
constexpr Index n = 24, coils = 8, spokes = 30;

Context one_thread() {
  return Context(Device::cpu(), {.threads = 1});
}

/// Radial slices of a head.
Scan radial(Index slices = 1) {
  Context ctx = one_thread();
  const Phantom head = head_with_coils(2, coils);
  Scan scan = empty_scan({n, n, 1}, {n, n, 5});
  for (Index slice = 0; slice < slices; ++slice)
    for (Index s = 0; s < spokes; ++s) {
      const double angle = std::numbers::pi * 0.618034 * static_cast<double>(s + 7 * slice);
      add_phantom_readout(scan, head, spoke(angle, 2 * n), {n, n}, ctx, 0.02).counters.slice =
          static_cast<std::uint16_t>(slice);
    }
  return scan;
}

/// Far more spokes than pixels per axis.
Scan many_spokes() {
  Context ctx = one_thread();
  SimulationOptions options{.matrix = {n, n, 1}, .coils = coils, .readouts = 1400};
  return simulate_scan(options, ctx).scan;
}

/// A head in three dimensions, spokes in all directions.
Scan kooshball() {
  Context ctx = one_thread();
  constexpr Index size = 12;
  const auto points = kooshball_3d(200, size);
  Scan scan = empty_scan({size, size, size}, {size, size, size});
  const Phantom head = head_with_coils(3, coils);
  const Index samples = points.k.shape()[0] / 200;
  for (Index s = 0; s < 200; ++s) {
    std::vector<float> k;
    for (Index i = 3 * s * samples; i < 3 * (s + 1) * samples; ++i)
      k.push_back(static_cast<float>(points.k[i]));
    add_phantom_readout(scan, head, k, {size, size, size}, ctx, 0.02);
  }
  return scan;
}

}  // namespace

Scan one_slice() {
  return radial(1);
}
Scan five_slices() {
  return radial(5);
}
namespace {

void in_double(ReconstructOptions& o) {
  o.solve.precision = Precision::double_precision;
  o.transform.tolerance = 1e-8;
}
void in_windows(ReconstructOptions& o) {
  o.frames.window = FrameWindow{6, 0};
}
// A time course that falls from frame to frame.
void in_a_subspace(ReconstructOptions& o) {
  static const Array<std::complex<double>> basis = [] {
    constexpr Index frames = 5;
    Array<std::complex<double>> courses({frames, 2});
    for (Index f = 0; f < frames; ++f) {
      courses[2 * f] = 1;
      courses[2 * f + 1] = std::exp(-0.4 * static_cast<double>(f));
    }
    return courses;
  }();
  in_windows(o);
  in_double(o);
  o.frames.basis = basis;
}
// Hz across the slice, wide enough for several segments.
void in_a_field(ReconstructOptions& o) {
  static const Array<float> field = [] {
    Array<float> hz({n, n});
    for (Index i = 0; i < hz.size(); ++i) hz[i] = 900 * std::sin(0.25F * static_cast<float>(i % n));
    return hz;
  }();
  in_double(o);
  o.field.frequency = field;
}

}  // namespace

void as_it_is(ReconstructOptions&) {}

namespace {

void with_given_maps(ReconstructOptions& o) {
  static const Array<std::complex<float>> maps = [] {
    Array<std::complex<float>> all({coils, n, n});
    for (Index i = 0; i < all.size(); ++i)
      all[i] = std::polar(1.0F, 0.1F * static_cast<float>(i % n) + static_cast<float>(i / (n * n)));
    return all;
  }();
  in_double(o);
  o.density = DensityKind::none;
  o.coils.maps = maps;
}

}  // namespace

namespace {

const std::vector<Case>& named_cases() {
  static const std::vector<Case> cases{
      // In single precision the rounding of sums over coils grows with the iterations: to 6e-5 with AVX-512.
      {"Coils", one_slice, as_it_is, Split::automatic, "coils", 2, 2e-4},
      {"CoilsInDouble", one_slice, in_double, Split::automatic, "coils", 3},
      {"CoilsOfThreeRanks", one_slice, as_it_is, Split::coils, "coils", 3, 2e-4},
      {"CoilsInThreeDimensions", kooshball, in_double, Split::coils, "coils"},
      {"CoilsWithoutToeplitz", one_slice,
       [](ReconstructOptions& o) {
         in_double(o);
         o.transform.toeplitz = NormalOptions::Toeplitz::off;
       },
       Split::coils, "coils"},
      {"CoilsOfSlices", five_slices, in_double, Split::coils, "coils"},
      {"CoilsWithWavelets", one_slice,
       [](ReconstructOptions& o) { o.solve.regularizers = {parse_regularizer("wavelet:1e-2")}; },
       Split::coils, "coils"},
      {"CoilsAndSetsOfMaps", one_slice,
       [](ReconstructOptions& o) {
         in_double(o);
         o.coils.sets = 2;
       },
       Split::coils, "coils"},
      {"CoilsOfASeries", one_slice, in_windows, Split::coils, "coils"},
      {"CoilsByGridding", one_slice,
       [](ReconstructOptions& o) {
         o.solve.regularizers.clear();
         o.solve.gridding = true;
       },
       Split::coils, "coils"},
      {"CoilsOfASubspace", one_slice, in_a_subspace, Split::coils, "coils"},
      {"CoilsInAField", one_slice, in_a_field, Split::coils, "coils"},
      // Without noise the choice is not determined, except by rounding.
      {"CoilsChosenAutomatically", one_slice,
       [](ReconstructOptions& o) {
         in_double(o);
         o.solve.regularizers.clear();
         o.solve.iterations = 0;
         o.solve.automatic = true;
       },
       Split::coils, "coils", 2, 2e-3},
      {"Slices", five_slices, as_it_is, Split::automatic, "images"},
      {"SlicesOfThreeRanks", five_slices, as_it_is, Split::frames, "images", 3},
      {"SlicesWithOneScale", five_slices,
       [](ReconstructOptions& o) { o.solve.regularizers = {parse_regularizer("wavelet:1e-2")}; },
       Split::automatic, "images"},
      {"SlicesWithOneLambda", five_slices,
       [](ReconstructOptions& o) { o.solve.regularizers = {parse_regularizer("wavelet:auto")}; },
       Split::automatic, "images"},
      {"SlicesChosenAutomatically", five_slices,
       [](ReconstructOptions& o) {
         o.solve.regularizers.clear();
         o.solve.iterations = 0;
         o.solve.automatic = true;
       },
       Split::automatic, "images"},
      {"SlicesOfSeries", five_slices, in_windows, Split::automatic, "series"},
      {"FramesOfASeries", one_slice, in_windows, Split::automatic, "frames"},
      {"FramesWithWavelets", one_slice,
       [](ReconstructOptions& o) {
         in_windows(o);
         o.solve.regularizers = {parse_regularizer("wavelet:1e-2")};
       },
       Split::frames, "frames", 3},
      {"FramesWithTwoTerms", one_slice,
       [](ReconstructOptions& o) {
         in_windows(o);
         o.solve.regularizers = {parse_regularizer("wavelet:1e-2"), parse_regularizer("tv:1e-2")};
       },
       Split::frames, "frames"},
      {"FramesByGridding", one_slice,
       [](ReconstructOptions& o) {
         in_windows(o);
         o.solve.regularizers.clear();
         o.solve.gridding = true;
       },
       Split::frames, "frames"},
      {"FramesInAField", one_slice,
       [](ReconstructOptions& o) {
         in_a_field(o);
         in_windows(o);
       },
       Split::frames, "frames"},
      {"FramesOfEachCoil", one_slice,
       [](ReconstructOptions& o) {
         in_windows(o);
         o.coils.combine = Combine::rss;
       },
       Split::frames, "frames"},
      {"CoilsWithGivenMaps", one_slice, with_given_maps, Split::coils, "coils", 3},
      {"CoilsWithWeights", many_spokes,
       [](ReconstructOptions& o) {
         in_double(o);
         o.density = DensityKind::pipe;
       },
       Split::coils, "coils"},
      {"NothingToDivide", one_slice, [](ReconstructOptions& o) { o.output.replicas = 2; }, Split::automatic,
       ""},
  };
  return cases;
}

}  // namespace

const std::vector<Case>& rank_cases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all = named_cases();
    const std::vector<Case> more = cases_of_choices();
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return cases;
}

void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.name;
}

ReconstructOptions options_of(const Case& tested) {
  ReconstructOptions options;
  options.prepare.units = TrajectoryUnits::normalised;
  // Few iterations: later, rounding determines when conjugate gradients reach an eigenvalue again.
  options.solve.iterations = 6;
  options.solve.regularizers = {parse_regularizer("l2:1e-2")};
  tested.change(options);
  options.ranks.split = tested.split;
  return options;
}

void meet_as(const std::string& version, Communicator& ranks) {
  const ReconstructOptions options = options_of({"", one_slice, as_it_is, Split::coils, ""});
  const ScanPlan plan = plan_scan(one_slice(), prepare_options(options));
  require_same(fingerprint(plan_problems(plan, coils, options), coils, options, version), ranks);
}

Reconstruction by_rank(const Case& tested, std::shared_ptr<Communicator> ranks, const Device& device) {
  Context ctx(device, {.threads = 1});
  ReconstructOptions options = options_of(tested);
  options.ranks.communicator = std::move(ranks);
  return reconstruct(tested.scan(), options, ctx);
}

double difference(const Reconstruction& a, const Reconstruction& b) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < b.series.images.size(); ++i) {
    const auto &x = a.series.images.at(i).pixels, &y = b.series.images[i].pixels;
    if (x.shape() != y.shape()) return 1;
    for (Index p = 0; p < y.size(); ++p) {
      error += std::norm(std::complex<double>(x[p]) - std::complex<double>(y[p]));
      norm += std::norm(std::complex<double>(y[p]));
    }
  }
  return std::sqrt(error / norm);
}

}  // namespace larmor::test
