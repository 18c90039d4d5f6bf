#include "error_of.hpp"
#include "listener.hpp"
#include "mri/phantom_scan.hpp"

#include <larmor/mri/coils/coil_maps.hpp>
#include <larmor/mri/reconstruct/estimated_maps.hpp>
#include <larmor/mri/reconstruct/other_scan.hpp>
#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <gmock/gmock.h>

namespace larmor {
namespace {

using namespace test;
using testing::Contains;
using testing::HasSubstr;

using C = std::complex<float>;

constexpr Index n = 64, coils = 6;

// Some interleaves of a uniform spiral, and a fully sampled one of a quarter of k-space.
struct Spiral {
  Phantom phantom = head_with_coils(2, coils);
  Scan scan = empty_scan({n, n, 1}, {240, 240, 5}, "spiral");
  Context ctx;
  void image(Index every) {
    for (Index turn = 0; turn < 8; turn += every)
      add_phantom_readout(scan, phantom, spiral_interleaf(n, 8, turn), {n, n}, ctx, 0.2);
  }
  void calibration(float scale, std::vector<AcquisitionFlag> flags) {
    for (Index turn = 0; turn < 2; ++turn) {
      auto k = spiral_interleaf(n, 2, turn, 0.2);
      auto& header = add_phantom_readout(scan, phantom, k, {n, n}, ctx, 0.2);
      for (auto flag : flags) header.set(flag);
      for (Index i = 0; i < static_cast<Index>(k.size()); ++i)
        scan.trajectory[scan.readouts.back().trajectory_offset + static_cast<std::size_t>(i)] *= scale;
    }
  }
  double error(const CoilOptions& options = {}, Calibration* used = nullptr) {
    const Selection selection = select_scan(scan, {}, ctx);
    const auto maps = maps_of_slice({scan, selection, options}, ctx, used);
    return map_error(original_channel_maps(maps.front(), selection.channels.inverse, ctx), phantom, {n, n},
                     ctx);
  }
};

TEST(Calibration, FlaggedReadoutsGiveTheMaps) {
  Spiral alone;
  alone.image(4);
  EXPECT_GT(alone.error(), 0.1);
  Spiral with;
  with.image(4);
  with.calibration(1, {AcquisitionFlag::calibration});
  Calibration used = Calibration::none;
  EXPECT_LT(with.error({}, &used), 0.05);
  EXPECT_EQ(used, Calibration::espirit);
  ReconstructOptions options;
  options.coils.calibration_readouts = CalibrationReadouts::maps;
  const ScanPlan plan = select_scan(with.scan, options, with.ctx).plan;
  EXPECT_EQ(plan.imaging.size(), 2U);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("2 calibration readouts, 2 of them not imaging data")));
}

TEST(Calibration, FlaggedAsBothAreInTheImageToo) {
  Spiral both;
  both.image(4);
  both.calibration(1, {AcquisitionFlag::calibration, AcquisitionFlag::calibration_and_imaging});
  EXPECT_LT(both.error(), 0.05);
  EXPECT_EQ(select_scan(both.scan, {}, both.ctx).plan.imaging.size(), 4U);
}

TEST(Calibration, ReadoutsThatAgreeWithTheImageAreItsDataToo) {
  Spiral spiral;
  spiral.image(4);
  spiral.calibration(1, {AcquisitionFlag::calibration});
  const auto imaging = [&](CalibrationReadouts readouts) {
    ReconstructOptions options;
    options.coils.calibration_readouts = readouts;
    return select_scan(spiral.scan, options, spiral.ctx).plan.imaging.size();
  };
  EXPECT_EQ(imaging(CalibrationReadouts::automatic), 4U);
  EXPECT_EQ(imaging(CalibrationReadouts::image), 4U);
  EXPECT_EQ(imaging(CalibrationReadouts::maps), 2U);
  // Other intensity, phase, or object.
  const auto measured = spiral.scan.data;
  const std::size_t first = spiral.scan.readouts[2].data_offset;
  for (const std::complex<float> factor : {C(0.7F), C(1, 0.4F), C(-1)}) {
    for (std::size_t i = first; i < measured.size(); ++i) spiral.scan.data[i] = factor * measured[i];
    EXPECT_EQ(imaging(CalibrationReadouts::automatic), 2U) << factor;
    EXPECT_EQ(imaging(CalibrationReadouts::image), 4U);
  }
  for (std::size_t i = first; i < measured.size(); ++i) spiral.scan.data[i] = std::conj(measured[i]);
  EXPECT_EQ(imaging(CalibrationReadouts::automatic), 2U);
}

TEST(Calibration, ReadoutsOfAnotherContrastAreForTheMapsAlone) {
  Spiral spiral;
  spiral.image(4);
  spiral.calibration(1, {AcquisitionFlag::calibration});
  for (std::size_t r = 2; r < 4; ++r) spiral.scan.readouts[r].header.counters.contrast = 1;
  EXPECT_EQ(select_scan(spiral.scan, {}, spiral.ctx).plan.imaging.size(), 2U);
  ReconstructOptions options;
  options.coils.calibration_readouts = CalibrationReadouts::image;
  EXPECT_THAT(error_of([&] { select_scan(spiral.scan, options, spiral.ctx); }),
              HasSubstr("counters of their own"));
}

TEST(Calibration, UnitsAreThoseOfTheImagingReadouts) {
  // In cycles per field of view: samples up to a fifth of k-space must not be mistaken for normalised units.
  Spiral spiral;
  spiral.image(4);
  spiral.calibration(static_cast<float>(n), {AcquisitionFlag::calibration});
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t i = 0; i < 2U * spiral.scan.readouts[r].header.samples; ++i)
      spiral.scan.trajectory[spiral.scan.readouts[r].trajectory_offset + i] *= static_cast<float>(n);
  EXPECT_LT(spiral.error(), 0.05);
}

TEST(Calibration, AnotherEncodingHasItsOwnPixel) {
  Spiral spiral;
  spiral.image(4);
  // Normalised to a matrix of 32 on the same field of view.
  spiral.calibration(2, {AcquisitionFlag::calibration});
  Encoding low = spiral.scan.encodings[0];
  low.encoded_matrix = low.recon_matrix = {32, 32, 1};
  spiral.scan.encodings.push_back(low);
  for (std::size_t r = 2; r < 4; ++r) spiral.scan.readouts[r].header.encoding_space_ref = 1;
  EXPECT_LT(spiral.error(), 0.05);
}

TEST(Calibration, WhatCannotBeUsedIsSaid) {
  Spiral spiral;
  spiral.image(1);
  const double without = spiral.error();
  spiral.calibration(1, {AcquisitionFlag::calibration});
  spiral.scan.data[spiral.scan.readouts[8].data_offset] = NAN;
  spiral.scan.readouts[9].header.active_channels = 3;
  EXPECT_EQ(spiral.error(), without);
  EXPECT_THAT(select_scan(spiral.scan, {}, spiral.ctx).plan.warnings,
              Contains(HasSubstr("2 calibration readouts have other channels")));
}

TEST(Calibration, UndersampledCentresAreLeftToNlinv) {
  Spiral spiral;
  spiral.image(2);
  Calibration used = Calibration::none;
  EXPECT_LT(spiral.error({}, &used), 0.12);
  EXPECT_EQ(used, Calibration::nlinv);
  ReconstructOptions options;
  options.solve.iterations = 2;
  EXPECT_EQ(reconstruct(spiral.scan, options, spiral.ctx).report.calibration, "nlinv");
}

// Every `every`-th line, and all lines less than `half` from the central one, in a file without a trajectory
// whose header says cartesian.
Scan lines_of(const Phantom& phantom, Index every, Index half, Context& ctx) {
  Scan scan = empty_scan({n, n, 1}, {240, 240, 5}, "cartesian");
  for (Index line = 0; line < n; ++line) {
    const bool central = std::abs(line - n / 2) < half;
    if (line % every != 0 && !central) continue;
    std::vector<float> k;
    for (Index x = 0; x < n; ++x) {
      k.push_back(static_cast<float>(x - n / 2) / n);
      k.push_back(static_cast<float>(line - n / 2) / n);
    }
    auto& header = add_phantom_readout(scan, phantom, k, {n, n}, ctx, 0.2, true);
    header.encode_step_1 = static_cast<std::uint16_t>(line);
    if (central)
      header.set(line % every == 0 ? AcquisitionFlag::calibration_and_imaging : AcquisitionFlag::calibration);
  }
  return scan;
}

// Such centres are solved exactly within a few iterations, and later ones must not add the errors of the
// transforms: without a limit the error may be 0.3 to 0.8, depending on rounding.
TEST(Calibration, FewCentralLinesAreAllThatIsUsed) {
  Context ctx;
  const Phantom phantom = head_with_coils(2, coils);
  for (const Index every : {2, 3, 4})
    for (const Index half : {6, 7, 9})
      for (const bool flags : {true, false}) {
        Scan scan = lines_of(phantom, every, half, ctx);
        if (!flags)
          for (Readout& readout : scan.readouts) readout.header.flags = 0;
        const Selection selection = select_scan(scan, {}, ctx);
        const auto maps = maps_of_slice({scan, selection, {}}, ctx);
        const auto original = original_channel_maps(maps.front(), selection.channels.inverse, ctx);
        EXPECT_LT(map_error(original, phantom, {n, n}, ctx), 0.07) << every << ' ' << half << ' ' << flags;
      }
}

// A scan of the same head whose image is rotated by 90 degrees and lies off centre.
Scan turned_scan(const Phantom& phantom, Index pixels, double fov, float x, float y, Context& ctx) {
  Scan scan = empty_scan({pixels, pixels, 1}, {fov, fov, 5});
  for (Index s = 0; s < 2 * pixels; ++s) {
    const auto k =
        spoke(std::numbers::pi * static_cast<double>(s) / static_cast<double>(2 * pixels), 2 * pixels);
    // Readouts along +y, phase encoding along −x; the phantom's cycles per pixel are those of its own field
    // of view.
    std::vector<float> seen;
    const auto scale = static_cast<float>(static_cast<double>(pixels) / fov * 240 / n);
    for (std::size_t i = 0; i < k.size(); i += 2) {
      seen.push_back(-k[i + 1] * scale);
      seen.push_back(k[i] * scale);
    }
    ReadoutHeader& header = add_phantom_readout(scan, phantom, seen, {n, n}, ctx, 0.1);
    header.read_dir = {0, 1, 0};
    header.phase_dir = {-1, 0, 0};
    header.position = {x, y, 0};
    const Readout& readout = scan.readouts.back();
    std::copy(k.begin(), k.end(),
              scan.trajectory.begin() + static_cast<std::ptrdiff_t>(readout.trajectory_offset));
    for (Index j = 0; j < header.samples; ++j) {
      const double pixel = 240.0 / n;
      const double turns = (static_cast<double>(seen[static_cast<std::size_t>(2 * j)]) * x +
                            static_cast<double>(seen[static_cast<std::size_t>(2 * j + 1)]) * y) /
                           pixel;
      for (Index c = 0; c < coils; ++c)
        scan.data[readout.data_offset + static_cast<std::size_t>(c * header.samples + j)] *=
            C(std::polar(1.0, 2 * std::numbers::pi * turns));
    }
  }
  return scan;
}

TEST(Calibration, OfAScanThatLiesElsewhereIsResampled) {
  Spiral spiral;
  spiral.image(1);
  const auto maps = [&](const Scan& other) { return maps_of_other_scan(other, spiral.scan, {}, spiral.ctx); };
  const auto error = [&](View<const C> found) {
    return map_error(found, spiral.phantom, {n, n}, spiral.ctx);
  };
  const double own = spiral.error();
  EXPECT_LT(error(maps(turned_scan(spiral.phantom, 48, 300, 0, 0, spiral.ctx))), own + 0.01);
  EXPECT_LT(error(maps(turned_scan(spiral.phantom, 48, 300, 12, -8, spiral.ctx))), own + 0.01);
  EXPECT_THAT(error_of([&] { maps(turned_scan(spiral.phantom, 48, 300, 120, 0, spiral.ctx)); }),
              HasSubstr("has another position"));
}

TEST(Calibration, OfAScanOfTheCentreAloneHasTheUnitsOfTheScan) {
  // Spokes out to 0.15 cycles per pixel, with steps too short to determine the units.
  const auto centre = [](Spiral& into, float scale) {
    for (int spoke = 0; spoke < 40; ++spoke) {
      std::vector<float> k;
      for (int j = -64; j < 64; ++j)
        for (const double along : {std::cos(spoke * 0.0785), std::sin(spoke * 0.0785)})
          k.push_back(static_cast<float>(0.15 / 64 * j * along));
      add_phantom_readout(into.scan, into.phantom, k, {n, n}, into.ctx, 0.2);
    }
    for (auto& k : into.scan.trajectory) k *= scale;
  };
  constexpr float cycles_per_fov = n;
  for (const float scale : {1.0F, cycles_per_fov}) {
    Spiral spiral, calibration;
    spiral.image(1);
    for (auto& k : spiral.scan.trajectory) k *= scale;
    centre(calibration, scale);
    EXPECT_THAT(error_of([&] { plan_scan(calibration.scan, {}); }), HasSubstr("units not recognised"));
    const auto maps = maps_of_other_scan(calibration.scan, spiral.scan, {}, spiral.ctx);
    EXPECT_LT(map_error(maps.view(), spiral.phantom, {n, n}, spiral.ctx), 0.05) << scale;
    if (scale == 1) continue;
    Spiral other;  // up to 0.15 cycles per field of view, there is no centre to calibrate with
    centre(other, 1);
    EXPECT_THAT(error_of([&] { maps_of_other_scan(other.scan, spiral.scan, {}, spiral.ctx); }),
                HasSubstr("does not give the units"));
  }
}

TEST(Calibration, GivenMapsServeAnotherGrid) {
  Spiral spiral;
  spiral.image(1);
  ReconstructOptions options;
  const EstimatedMaps estimated = estimate_maps(spiral.scan, options, spiral.ctx);
  ASSERT_EQ(estimated.geometry.size(), 1U);
  options.prepare.grid = {{50}, {240}, 1};
  options.coils.maps = estimated.maps;
  EXPECT_THAT(error_of([&] { select_scan(spiral.scan, options, spiral.ctx); }),
              HasSubstr("cannot be resampled"));
  options.coils.maps_geometry = estimated.geometry;
  const Selection selection = select_scan(spiral.scan, options, spiral.ctx);
  EXPECT_EQ(selection.maps.shape(), (Shape{coils, 50, 50}));
  // Maps estimated on the other scan's own grid.
  options.coils = {};
  const Selection native = select_scan(spiral.scan, options, spiral.ctx);
  const auto expected = maps_of_slice({spiral.scan, native, {}}, spiral.ctx);
  const auto original = original_channel_maps(expected.front(), native.channels.inverse, spiral.ctx);
  const auto object = test::phantom_image(spiral.phantom, {50, 50}, 1, spiral.ctx);
  double sum = 0, count = 0;
  for (Index p = 0; p < 2500; ++p) {
    if (std::abs(object[p]) < 0.05) continue;
    std::complex<double> overlap = 0;
    double one = 0, other = 0;
    for (Index c = 0; c < coils; ++c) {
      const std::complex<double> a(selection.maps[c * 2500 + p]), b(original[c * 2500 + p]);
      overlap += std::conj(a) * b;
      one += std::norm(a);
      other += std::norm(b);
    }
    ASSERT_GT(one * other, 0);
    sum += 1 - std::norm(overlap) / (one * other);
    ++count;
  }
  EXPECT_LT(std::sqrt(std::max(0.0, sum / count)), 0.01);
}

TEST(Calibration, NoisyCentresAreLeftToNlinv) {
  Context ctx(Device::cpu(), {.threads = 2});
  for (const double noise : {0.2, 1.0}) {
    const auto simulation = simulate_scan({.matrix = {64, 64, 1}, .coils = 6, .noise = noise}, ctx);
    const Selection selection = select_scan(simulation.scan, {}, ctx);
    Calibration used = Calibration::none;
    const auto maps = maps_of_slice({simulation.scan, selection, {}}, ctx, &used);
    EXPECT_EQ(used, noise < 0.5 ? Calibration::espirit : Calibration::nlinv) << noise;
    const auto original = original_channel_maps(maps.front(), selection.channels.inverse, ctx);
    EXPECT_LT(map_error(original, head_with_coils(2, 6), {64, 64}, ctx), noise < 0.5 ? 0.1 : 0.3) << noise;
  }
}

// With few partitions, ESPIRiT's kernel has too few positions.
TEST(Calibration, ThinSlabsAreLeftToNlinv) {
  Context ctx(Device::cpu(), {.threads = 2});
  for (const Index partitions : {3, 16}) {
    const auto simulation = simulate_scan({.trajectory = SimulatedTrajectory::stack_of_stars,
                                           .matrix = {32, 32, partitions},
                                           .coils = 6,
                                           .noise = 0.005},
                                          ctx);
    const Selection selection = select_scan(simulation.scan, {}, ctx);
    Calibration used = Calibration::none;
    const auto maps = maps_of_slice({simulation.scan, selection, {}}, ctx, &used);
    EXPECT_EQ(used, partitions < 13 ? Calibration::nlinv : Calibration::espirit) << partitions;
    const auto original = original_channel_maps(maps.front(), selection.channels.inverse, ctx);
    EXPECT_LT(map_error(original, head_with_coils(3, 6), {partitions, 32, 32}, ctx), 0.06) << partitions;
  }
}

// Every second line: the data cannot resolve the aliasing unless some central lines are sampled.
TEST(Calibration, LinesThatFoldTheObjectOverAreWarnedOf) {
  for (const Index whole : {0, 16}) {
    const auto listener = std::make_shared<test::Listener>();
    Context ctx = test::listening(listener);
    auto simulation = simulate_scan(
        {.trajectory = SimulatedTrajectory::cartesian, .matrix = {64, 64, 1}, .coils = 6, .noise = 0.01},
        ctx);
    std::vector<Readout> kept;
    Index line = 0;
    for (const Readout& readout : simulation.scan.readouts) {
      const bool noise = readout.header.has(AcquisitionFlag::noise);
      if (noise || line % 2 == 0 || std::abs(line - 32) <= whole / 2) kept.push_back(readout);
      line += noise ? 0 : 1;
    }
    simulation.scan.readouts = std::move(kept);
    const Selection selection = select_scan(simulation.scan, {}, ctx);
    maps_of_slice({simulation.scan, selection, {}}, ctx);
    if (whole > 0)
      EXPECT_EQ(listener->warnings, "");
    else
      EXPECT_THAT(listener->warnings, HasSubstr("the image may be aliased"));
  }
}

}  // namespace
}  // namespace larmor
