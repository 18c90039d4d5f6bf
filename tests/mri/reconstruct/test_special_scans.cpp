#include <larmor/mri/coils/coil_maps.hpp>
#include <larmor/mri/model/sense.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include "listener.hpp"
#include "mri/reconstruct/best_by_hand.hpp"
#include "mri/synthetic_scan.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>

// Results of the default for unusual scans.

namespace larmor {
namespace {

using C = std::complex<float>;
using std::numbers::pi;
using test::automatic_options;
using test::best_by_hand;
using test::error_in_disc;
using test::error_of_magnitudes;
using test::error_with;
using test::Listener;
using test::listening;
using testing::HasSubstr;
using testing::Not;

constexpr Index n = 48;
// Accepted ratio of the default's error to the smallest one by hand.
constexpr double nearly = 1.1;

SimulationOptions usual(double noise = 0.02) {
  return {.trajectory = SimulatedTrajectory::radial,
          .matrix = {n, n, 1},
          .coils = 4,
          .readouts = 38,
          .noise = noise};
}

Simulation simulated(const SimulationOptions& options) {
  Context ctx;
  return simulate_scan(options, ctx);
}

void expect_nearly_the_best(const Simulation& simulation, double least_of_wavelets = 0) {
  Context ctx;
  ReconstructOptions options = automatic_options(simulation);
  const double found = error_with(simulation, options, ctx), best = best_by_hand(simulation, options, ctx);
  EXPECT_LT(found, nearly * best);
  options.solve.automatic = false;
  options.solve.regularizers = {parse_regularizer("wavelet:auto")};
  const double sparse = error_with(simulation, options, ctx);
  EXPECT_LT(sparse, (least_of_wavelets > 0 ? least_of_wavelets : nearly) * best) << "wavelet:auto";
}

/// Expects that the error with maps from the data is below `factor` times that with given maps.
void expect_own_maps_to_cost(double factor, const Simulation& simulation, Context& ctx) {
  ReconstructOptions own = automatic_options(simulation);
  const auto given = reconstruct(simulation.scan, own, ctx);
  own.coils.maps = {};
  const auto estimated = reconstruct(simulation.scan, own, ctx);
  EXPECT_LT(error_of_magnitudes(estimated.series.images[0].pixels, simulation.truth),
            factor * error_of_magnitudes(given.series.images[0].pixels, simulation.truth));
}

/// Removes the samples before `first` from every imaging readout, which then is an asymmetric echo.
Simulation with_half_echoes(Simulation simulation, Index first) {
  Scan& scan = simulation.scan;
  Scan cut = scan;
  cut.data.clear();
  cut.trajectory.clear();
  for (Readout& readout : cut.readouts) {
    const Index samples = readout.header.samples, coils = readout.header.active_channels;
    const Index dims = readout.header.trajectory_dimensions, from = dims > 0 ? first : 0;
    const Readout old = readout;
    readout.data_offset = cut.data.size();
    readout.trajectory_offset = cut.trajectory.size();
    for (Index c = 0; c < coils; ++c)
      for (Index j = from; j < samples; ++j)
        cut.data.push_back(scan.data[old.data_offset + static_cast<std::size_t>(c * samples + j)]);
    for (Index j = from * dims; j < samples * dims; ++j)
      cut.trajectory.push_back(scan.trajectory[old.trajectory_offset + static_cast<std::size_t>(j)]);
    readout.header.samples = static_cast<std::uint16_t>(samples - from);
    readout.header.center_sample = static_cast<std::uint16_t>(samples / 2 - from);
  }
  scan = std::move(cut);
  return simulation;
}

TEST(SpecialScans, HalfEchoes) {
  // Two thirds of each spoke, so that parts of k-space are sampled on one side only.
  expect_nearly_the_best(with_half_echoes(simulated(usual()), n / 3 * 2));
  auto options = usual(0.005);
  options.readouts = 76;
  options.object = SimulatedObject::phases;
  expect_nearly_the_best(with_half_echoes(simulated(options), n - 6));
}

/// The object and its samples as if moved by `pixels` along x, y, z.
void move(Simulation& simulation, const std::array<double, 3>& pixels) {
  Scan& scan = simulation.scan;
  for (Readout& readout : scan.readouts) {
    const Index samples = readout.header.samples, dims = readout.header.trajectory_dimensions;
    for (Index j = 0; j < samples && dims > 0; ++j) {
      double cycles = 0;
      for (Index axis = 0; axis < dims; ++axis)
        cycles += pixels[static_cast<std::size_t>(axis)] *
                  static_cast<double>(
                      scan.trajectory[readout.trajectory_offset + static_cast<std::size_t>(j * dims + axis)]);
      const auto turn = std::polar(1.0, -2 * pi * cycles);
      for (Index c = 0; c < readout.header.active_channels; ++c) {
        C& value = scan.data[readout.data_offset + static_cast<std::size_t>(c * samples + j)];
        value = C(std::complex<double>(value) * turn);
      }
    }
  }
}

/// Spokes whose samples are this many steps farther along the readout than the trajectory states.
Simulation delayed(Simulation simulation, float steps) {
  Scan& scan = simulation.scan;
  for (const Readout& readout : scan.readouts) {
    const auto samples = static_cast<std::size_t>(readout.header.samples),
               dims = static_cast<std::size_t>(readout.header.trajectory_dimensions);
    for (std::size_t axis = 0; axis < dims; ++axis) {
      float* k = scan.trajectory.data() + readout.trajectory_offset + axis;
      const float step = k[dims] - k[0];
      for (std::size_t j = 0; j < samples; ++j) k[j * dims] -= steps * step;
    }
  }
  return simulation;
}

TEST(SpecialScans, DataThatNoImageExplainsAreWarnedOf) {
  const auto listener = std::make_shared<Listener>();
  Context ctx = listening(listener);
  for (const bool noise_scan : {true, false}) {
    ReconstructOptions options;
    options.solve.automatic = true;
    options.prepare.whiten = noise_scan;
    const Simulation simulation = simulated(usual(0.01));
    const auto right = reconstruct(simulation.scan, options, ctx);
    EXPECT_EQ(listener->warnings, "");
    EXPECT_NEAR(right.report.images[0].unexplained / right.report.images[0].noise, 1, 0.1);
    const auto wrong = reconstruct(delayed(simulated(usual(0.01)), 0.9F).scan, options, ctx);
    EXPECT_THAT(listener->warnings, HasSubstr("% of the data unexplained, noise accounts for"));
    EXPECT_GT(wrong.report.images[0].unexplained, 2 * wrong.report.images[0].noise);
    EXPECT_GT(wrong.report.solution.expectation->error(), 1.5 * right.report.solution.expectation->error());
    listener->warnings.clear();
  }
}

/// Lines back and forth through a smooth object with off-resonance, in one or more shots.
struct EchoTrain {
  static constexpr Index size = 24;
  Array<C> object{{size, size}};
  Array<float> field{{size, size}};
  Scan scan;

  // The times of samples are a third column of the trajectory, or follow from the header's echo spacing.
  EchoTrain(bool column, Index shots) {
    constexpr double spacing = 0.5e-3, dwell = 5e-6;
    constexpr Index middle = size / 2;
    for (Index p = 0; p < object.size(); ++p) {
      const auto x = static_cast<double>(p % size - middle), y = static_cast<double>(p / size - middle);
      object[p] = static_cast<float>(std::exp(-((x + 3) * (x + 3) + (y - 2) * (y - 2)) / 12) +
                                     0.5 * std::exp(-((x - 4) * (x - 4) + y * y) / 9));
      field[p] = static_cast<float>(30 + 2 * x - 3 * y);
    }
    scan = test::empty_scan({2 * size, size, 1}, {480, 240, 5}, "epi");
    scan.encodings[0].recon_matrix = {size, size, 1};
    scan.encodings[0].recon_fov_mm = {240, 240, 5};
    if (!column) scan.echo_spacing_ms = 1e3 * spacing;
    for (Index line = 0; line < size; ++line) {
      const Index echo = line / shots;
      std::vector<float> k;
      std::vector<std::complex<float>> data;
      for (Index j = 0; j < 2 * size; ++j) {
        const double kx = static_cast<double>((echo % 2 == 1 ? 2 * size - 1 - j : j) - size) / (2 * size),
                     ky = static_cast<double>(line - middle) / size,
                     t = static_cast<double>(echo - middle / shots) * spacing +
                         static_cast<double>(j - size) * dwell;
        std::complex<double> sum = 0;
        for (Index p = 0; p < object.size(); ++p) {
          const auto x = static_cast<double>(p % size - middle), y = static_cast<double>(p / size - middle);
          sum += std::complex<double>(object[p]) *
                 std::polar(1.0, -2 * std::numbers::pi * (kx * x + ky * y + field[p] * t));
        }
        data.emplace_back(sum);
        for (const double value : {kx, ky, t}) k.push_back(static_cast<float>(value));
        if (!column) k.pop_back();
      }
      ReadoutHeader& header = test::add_readout(scan, k, column ? 3 : 2, 1, data);
      header.encode_step_1 = static_cast<std::uint16_t>(line);
      header.segment = static_cast<std::uint16_t>(line % shots);
      header.center_sample = static_cast<std::uint16_t>(size);
      header.sample_time_us = static_cast<float>(1e6 * dwell);
    }
  }
};

TEST(SpecialScans, LinesOfAnEchoTrainHaveOneClock) {
  Context ctx;
  for (const bool column : {false, true})
    for (const Index shots : {1, 2, 3}) {
      const EchoTrain train(column, shots);
      const auto error = [&](bool map) {
        ReconstructOptions options{.output = {.kind = ImageKind::complex}};
        options.solve.iterations = 30;
        if (column)
          options.prepare.columns = {TrajectoryColumn::kx, TrajectoryColumn::ky, TrajectoryColumn::time};
        if (map) options.field.frequency = train.field;
        const auto found = reconstruct(train.scan, options, ctx);
        return error_of_magnitudes(found.series.images[0].pixels, train.object);
      };
      EXPECT_GT(error(false), 0.03) << column << shots;
      EXPECT_LT(error(true), 0.01) << column << shots;
    }
}

TEST(SpecialScans, DataThatNoCoilImagesExplainAreWarnedOf) {
  for (const Combine combine : {Combine::rss, Combine::none})
    for (const bool noise_readouts : {true, false})
      for (const float delay : {0.0F, 0.2F}) {
        const auto listener = std::make_shared<Listener>();
        Context ctx = listening(listener);
        ReconstructOptions options;
        options.solve.automatic = true;
        options.coils.combine = combine;
        SimulationOptions scan = usual(0.01);
        scan.readouts = n;
        Simulation simulation = delayed(simulated(scan), delay);
        if (!noise_readouts) simulation.scan.readouts.erase(simulation.scan.readouts.begin());
        const auto found = reconstruct(simulation.scan, options, ctx);
        const ImageReport& image = found.report.images[0];
        EXPECT_EQ(listener->warnings.find("% of the data unexplained") != std::string::npos, delay > 0)
            << noise_readouts << delay << " " << image.unexplained << " " << image.noise;
      }
}

// Few spokes: the expected error of the image is large.
TEST(SpecialScans, MoreThanTheNoiseIsWarnedOfWhereTheImageIsPoor) {
  for (const float delay : {0.0F, 0.25F}) {
    const auto listener = std::make_shared<Listener>();
    Context ctx = listening(listener);
    ReconstructOptions options;
    options.solve.automatic = true;
    SimulationOptions few = usual(0.004);
    few.readouts = 12;
    const auto found = reconstruct(delayed(simulated(few), delay).scan, options, ctx);
    const Expectation& expectation = *found.report.solution.expectation;
    EXPECT_LT(expectation.misfit(), expectation.expected.error) << delay;
    EXPECT_EQ(listener->warnings.find("% of the data unexplained") != std::string::npos, delay > 0)
        << expectation.misfit() << " " << expectation.noise << " " << expectation.expected.error;
  }
}

TEST(SpecialScans, ImagesThatAreMostlyErrorAreWarnedOf) {
  for (const Index spokes : {1, 64}) {
    const auto listener = std::make_shared<Listener>();
    Context ctx = listening(listener);
    ReconstructOptions options;
    options.solve.automatic = true;
    SimulationOptions few = usual(0.004);
    few.readouts = spokes;
    if (spokes == 1) few.coils = 1;
    const auto found = reconstruct(simulated(few).scan, options, ctx);
    EXPECT_EQ(listener->warnings.find("do not determine most of it") != std::string::npos, spokes == 1)
        << found.report.solution.expectation->error();
  }
}

// Few iterations and gridding leave data unexplained that are no error of the model.
TEST(SpecialScans, ImagesOfAllSolversAreJudged) {
  const RegularizerSpec wavelet = parse_regularizer("wavelet:1e-3"), tv = parse_regularizer("tv:1e-3");
  std::vector<SolveOptions> solvers(8);
  solvers[0].gridding = true;
  solvers[1] = {.iterations = 1};
  solvers[2] = {.iterations = 3};
  solvers[3] = {.iterations = 12};
  solvers[4] = {.solver = Solver::lsmr, .iterations = 5};
  solvers[5] = {.regularizers = {wavelet}, .iterations = 4};
  solvers[6] = {.solver = Solver::admm, .regularizers = {tv}, .iterations = 8};
  solvers[7] = {.solver = Solver::pdhg, .regularizers = {tv}, .iterations = 8};
  for (std::size_t i = 0; i < solvers.size(); ++i)
    for (const Index spokes : {0, 20}) {
      const auto listener = std::make_shared<Listener>();
      Context ctx = listening(listener);
      ReconstructOptions options;
      options.solve = solvers[i];
      SimulationOptions scan = usual(0.01);
      if (spokes > 0) scan.readouts = spokes;
      const auto right = reconstruct(simulated(scan).scan, options, ctx);
      EXPECT_EQ(listener->warnings, "") << i;
      EXPECT_GE(right.report.images[0].unexplained, 0.7 * right.report.images[0].noise) << i;
      EXPECT_LT(right.report.images[0].unexplained, 0.5) << i;
      reconstruct(delayed(simulated(scan), 0.9F).scan, options, ctx);
      EXPECT_THAT(listener->warnings, HasSubstr("% of the data unexplained")) << i;
    }
}

TEST(SpecialScans, OwnMapsReachWhereASmoothObjectIsFaint) {
  Context ctx;
  SimulationOptions options = usual(0.002);
  options.object = SimulatedObject::smooth;
  expect_own_maps_to_cost(1.6, simulated(options), ctx);
}

TEST(SpecialScans, FieldsOfViewThatAreOffCentreInAllAxes) {
  Context ctx;
  for (const auto trajectory : {SimulatedTrajectory::radial, SimulatedTrajectory::kooshball}) {
    SimulationOptions options = usual();
    options.trajectory = trajectory;
    const bool volume = trajectory == SimulatedTrajectory::kooshball;
    if (volume) options.matrix = {24, 24, 24}, options.readouts = 500;
    options.object = SimulatedObject::smooth;  // which remains within the field of view
    options.maps = false;
    Simulation simulation = simulated(options);
    ReconstructOptions automatic;
    automatic.solve.automatic = true;
    const auto centred = reconstruct(simulation.scan, automatic, ctx);
    // A field of view centred on the object, with samples that still refer to the isocentre.
    const std::array<double, 3> pixels{volume ? 2.0 : 4.0, -2, volume ? 2.0 : 0.0};
    const double pixel =
        simulation.scan.encodings[0].recon_fov_mm[0] / static_cast<double>(options.matrix[0]);
    move(simulation, pixels);
    for (Readout& readout : simulation.scan.readouts)
      for (std::size_t axis = 0; axis < 3; ++axis)
        readout.header.position[axis] = static_cast<float>(pixels[axis] * pixel);
    automatic.prepare.apply_fov_shift = true;
    const auto shifted = reconstruct(simulation.scan, automatic, ctx);
    EXPECT_LT(error_of_magnitudes(shifted.series.images[0].pixels, centred.series.images[0].pixels), 0.01);
    // Without the shift, the object is off-centre and reconstructed equally well.
    automatic.prepare.apply_fov_shift = false;
    const auto there = reconstruct(simulation.scan, automatic, ctx);
    Array<C> moved_back = clone(there.series.images[0].pixels);
    const Shape shape = simulation.truth.shape();
    for (Index i = 0; i < moved_back.size(); ++i) {
      Index rest = i, from = 0, stride = 1;
      for (int axis = shape.rank() - 1, column = 0; axis >= 0; --axis, ++column) {
        const auto by = static_cast<Index>(pixels[static_cast<std::size_t>(column)]);
        from += (rest % shape[axis] + by + shape[axis]) % shape[axis] * stride;
        stride *= shape[axis];
        rest /= shape[axis];
      }
      moved_back[i] = there.series.images[0].pixels[from];
    }
    const double usual_error = error_of_magnitudes(centred.series.images[0].pixels, simulation.truth);
    EXPECT_LT(error_of_magnitudes(moved_back, simulation.truth), 1.15 * usual_error);
  }
}

TEST(SpecialScans, ObjectsWithPhase) {
  Context ctx;
  SimulationOptions options = usual(0.01);
  options.object = SimulatedObject::phases;
  const auto simulation = simulated(options);
  expect_nearly_the_best(simulation);
  // With maps from the data as well.
  expect_own_maps_to_cost(1.25, simulation, ctx);
}

TEST(SpecialScans, OtherObjects) {
  SimulationOptions options = usual();
  options.object = SimulatedObject::smooth;
  expect_nearly_the_best(simulated(options));
  options.object = SimulatedObject::texture;
  expect_nearly_the_best(simulated(options));
}

/// A Gaussian object of 0.15 and 0.13 of the field of view, sampled at points all over the disc, with the
/// usual noise.
Simulation compact_at_random_points(double noise) {
  Context ctx;
  Simulation simulation = simulated(usual(noise));
  const Simulation clean = simulated(usual(0));
  Scan& scan = simulation.scan;
  for (Index y = 0; y < n; ++y)
    for (Index x = 0; x < n; ++x) {
      const double u = static_cast<double>(x - n / 2) / n - 0.06,
                   v = static_cast<double>(y - n / 2) / n + 0.04;
      simulation.truth[y * n + x] =
          C(static_cast<float>(std::exp(-0.5 * (u * u / (0.15 * 0.15) + v * v / (0.13 * 0.13)))));
      // Unnormalised coil maps, which are strongest at the edges.
      const auto falloff = static_cast<float>(0.4 + 6 * (u * u + v * v));
      for (Index c = 0; c < simulation.maps.shape()[0]; ++c) simulation.maps[(c * n + y) * n + x] *= falloff;
    }
  std::mt19937 random(7);
  std::uniform_real_distribution<float> anywhere(-0.5F, 0.5F);
  const CoilMaps<float> S(clone(simulation.maps.view()));
  std::size_t imaging = 0;
  for (Readout& readout : scan.readouts) {
    if (readout.header.trajectory_dimensions == 0) continue;
    const Index samples = readout.header.samples, coils = readout.header.active_channels;
    Array<double> k({samples, 2});
    for (Index j = 0; j < samples; ++j) {
      std::array<float, 2> point{1, 1};
      while (std::hypot(point[0], point[1]) > 0.5F) point = {anywhere(random), anywhere(random)};
      for (Index axis = 0; axis < 2; ++axis) {
        const float place = point[static_cast<std::size_t>(axis)];
        k[j * 2 + axis] = place;
        scan.trajectory[readout.trajectory_offset + static_cast<std::size_t>(j * 2 + axis)] = place;
      }
    }
    const Nufft<float> F(k, simulation.truth.shape(), {.tolerance = 1e-5, .batch = coils}, ctx);
    const Array<C> samples_of_coils = F.apply(S.apply(simulation.truth, ctx), ctx);
    const std::size_t silent = clean.scan.readouts[imaging++].data_offset;
    for (Index i = 0; i < coils * samples; ++i) {
      C& value = scan.data[readout.data_offset + static_cast<std::size_t>(i)];
      value +=
          static_cast<float>(n) * samples_of_coils[i] - clean.scan.data[silent + static_cast<std::size_t>(i)];
    }
  }
  return simulation;
}

// Settings that are best for a random image that fills the field of view would suppress most of such an
// object.
TEST(SpecialScans, CompactObjectsAtRandomPoints) {
  Context ctx;
  const auto simulation = compact_at_random_points(0.06);
  const ReconstructOptions options = automatic_options(simulation);
  EXPECT_LT(error_with(simulation, options, ctx), nearly * best_by_hand(simulation, options, ctx));
}

TEST(SpecialScans, OneCoil) {
  Context ctx;
  SimulationOptions options = usual();
  options.coils = 1;
  options.readouts = 60;
  const auto simulation = simulated(options);
  expect_nearly_the_best(simulation);
  expect_own_maps_to_cost(1.1, simulation, ctx);
}

TEST(SpecialScans, FourCoilsAndMuchNoise) {
  Context ctx;
  SimulationOptions options = usual(0.2);
  options.readouts = 76;
  const auto simulation = simulated(options);
  expect_nearly_the_best(simulation);
  // With maps from the data, too.
  expect_own_maps_to_cost(1.25, simulation, ctx);
}

/// Adds `factor` times the samples without noise to those of every imaging readout.
void add_object(Scan& scan, SimulationOptions options, double factor) {
  options.noise = 0;
  const Simulation clean = simulated(options);
  std::size_t imaging = 0;
  for (const Readout& readout : scan.readouts) {
    if (readout.header.trajectory_dimensions == 0) continue;
    const C* object = clean.scan.data.data() + clean.scan.readouts[imaging++].data_offset;
    for (std::size_t v = 0; v < std::size_t{readout.header.samples} * readout.header.active_channels; ++v)
      scan.data[readout.data_offset + v] += static_cast<float>(factor) * object[v];
  }
}

/// The same head once for each factor of intensity, counted by `slice` or `repetition`. 0: noise only.
Simulation several(const std::vector<double>& factors, std::uint16_t ImageCounters::*counter, double noise) {
  Simulation all;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    SimulationOptions options = usual(noise);
    options.seed = i + 1;
    Simulation noisy = simulated(options);
    add_object(noisy.scan, options, factors[i] - 1);
    for (Readout& readout : noisy.scan.readouts)
      if (readout.header.trajectory_dimensions > 0)
        readout.header.counters.*counter = static_cast<std::uint16_t>(i);
    if (i == 0)
      all = std::move(noisy);
    else
      test::append_imaging(all.scan, noisy.scan);
  }
  return all;
}

double rms(View<const C> values) {
  double sum = 0;
  for (const C& value : values) sum += std::norm(std::complex<double>(value));
  return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST(SpecialScans, SlicesOfWhichSomeAreEmpty) {
  const auto listener = std::make_shared<Listener>();
  Context ctx = listening(listener);
  const auto alone = simulated(usual(0.03));
  // The first and the middle one contain only noise.
  const auto simulation = several({0, 1, 0, 1}, &ImageCounters::slice, 0.03);
  for (const char* term : {"", "wavelet:auto", "tv:auto", "l2:auto"}) {
    ReconstructOptions options = automatic_options(alone);
    options.solve.automatic = *term == 0;
    if (*term != 0) options.solve.regularizers = {parse_regularizer(term)};
    const double usual_error = error_with(alone, options, ctx);
    const auto result = reconstruct(simulation.scan, options, ctx);
    ASSERT_EQ(result.series.images.size(), 4U);
    const auto& images = result.series.images;
    for (const std::size_t slice : {1U, 3U}) {
      EXPECT_LT(error_in_disc(images[slice].pixels, alone.truth, ctx), 1.1 * usual_error) << term;
      EXPECT_LT(rms(images[slice - 1].pixels), 0.5 * rms(images[slice].pixels)) << term;
    }
    for (const C& value : images[0].pixels) ASSERT_TRUE(std::isfinite(std::abs(value)));
  }
  EXPECT_EQ(listener->warnings, "");
  // Maps of empty images are estimated from noise, which must not end the others.
  ReconstructOptions own;
  own.solve.automatic = true;
  const auto result = reconstruct(simulation.scan, own, ctx);
  EXPECT_LT(error_of_magnitudes(result.series.images[1].pixels, alone.truth), 0.15);
}

TEST(SpecialScans, ASeriesOfGoldenAnglesKeepsItsBrightness) {
  Context ctx;
  const std::vector<double> brightness{1, 0.5, 0.25};
  const auto simulation = several(brightness, &ImageCounters::repetition, 0.005);
  for (const char* term : {"", "wavelet:auto"}) {
    ReconstructOptions options = automatic_options(simulation);
    options.solve.automatic = *term == 0;
    if (*term != 0) options.solve.regularizers = {parse_regularizer(term)};
    const auto result = reconstruct(simulation.scan, options, ctx);
    ASSERT_EQ(result.report.solution.regularizers.size(), *term == 0 ? 0U : 1U) << term;
    const auto& images = result.series.images;
    for (std::size_t i = 1; i < images.size(); ++i) {
      // The correct brightness relative to the first image.
      std::complex<double> product = 0;
      for (Index p = 0; p < images[0].pixels.size(); ++p)
        product +=
            std::conj(std::complex<double>(images[0].pixels[p])) * std::complex<double>(images[i].pixels[p]);
      const double first = rms(images[0].pixels);
      EXPECT_NEAR(product.real() / (first * first * static_cast<double>(images[0].pixels.size())),
                  brightness[i], 0.01 * (*term == 0 ? 2 : 3) * brightness[i])
          << term;
    }
  }
}

/// The scan with noise only instead of its samples; without the noise readout unless `known`.
Simulation noise_alone(bool known, const SimulationOptions& options = usual(0.03)) {
  Simulation simulation = simulated(options);
  add_object(simulation.scan, options, -1);
  if (!known) simulation.scan.readouts.erase(simulation.scan.readouts.begin());
  return simulation;
}

TEST(SpecialScans, NoiseAloneGivesASafeImageAndAWarning) {
  for (const bool known : {true, false}) {
    const auto simulation = noise_alone(known);
    for (const bool given : {true, false})
      for (const bool whiten : {true, false})
        for (const char* term : {"", "wavelet:auto", "tv:auto", "l2:auto"}) {
          SCOPED_TRACE(std::string(known ? "known" : "unknown") + (given ? " given " : " own ") +
                       (whiten ? "" : "not whitened ") + term);
          const auto listener = std::make_shared<Listener>();
          Context ctx = listening(listener);
          ReconstructOptions options = automatic_options(simulation);
          if (!given) options.coils.maps = {};
          options.prepare.whiten = whiten;
          options.solve.automatic = *term == 0;
          if (*term != 0) options.solve.regularizers = {parse_regularizer(term)};
          const auto result = reconstruct(simulation.scan, options, ctx);
          EXPECT_THAT(listener->warnings, HasSubstr("no signal above the noise"));
          EXPECT_THAT(listener->warnings, Not(HasSubstr("not converged")));
          double largest = 0;
          for (const C& value : result.series.images[0].pixels)
            largest = std::max<double>(largest, std::abs(value));
          EXPECT_TRUE(std::isfinite(largest));
          // The object's largest value is 1.
          EXPECT_LT(largest, 0.1);
        }
  }
}

// Without noise 200 iterations do not come within a small fraction of the expected error.
TEST(SpecialScans, WithoutNoiseIterationsAreEnough) {
  const auto listener = std::make_shared<Listener>();
  Context ctx = listening(listener);
  SimulationOptions options = usual(0);
  options.trajectory = SimulatedTrajectory::spiral;
  options.coils = 16;
  options.readouts = 8;
  const auto simulation = simulated(options);
  ReconstructOptions own = automatic_options(simulation);
  own.coils.maps = {};
  const auto result = reconstruct(simulation.scan, own, ctx);
  EXPECT_EQ(result.report.images[0].stop_reason, StopReason::iterations);
  EXPECT_THAT(listener->warnings, Not(HasSubstr("not converged")));
}

// Total variation is unsuitable for a smooth object without noise, and suitable for a noisy head.
TEST(SpecialScans, AWeightThatIsWorseThanTheDefaultSaysSo) {
  for (const bool known : {true, false})
    for (const auto object : {SimulatedObject::smooth, SimulatedObject::head}) {
      SCOPED_TRACE(known);
      const bool smooth = object == SimulatedObject::smooth;
      const auto listener = std::make_shared<Listener>();
      Context ctx = listening(listener);
      SimulationOptions scan = usual(smooth ? 0.002 : 0.05);
      scan.object = object;
      const auto simulation = simulated(scan);
      ReconstructOptions options = automatic_options(simulation);
      options.prepare.whiten = known;
      const double by_default = error_with(simulation, options, ctx);
      options.solve.automatic = false;
      options.solve.regularizers = {parse_regularizer("tv:auto")};
      const double with_term = error_with(simulation, options, ctx);
      EXPECT_EQ(with_term > by_default, smooth);
      const auto says = HasSubstr("the estimated error is not below that of the default image");
      if (smooth)
        EXPECT_THAT(listener->warnings, says);
      else
        EXPECT_THAT(listener->warnings, Not(says));
    }
}

// So many samples estimate the variance better than a noise readout does: the excess is not an image.
TEST(SpecialScans, NoiseOfAVolumeIsOneWhereItsReadoutsAreAPercentQuieter) {
  const auto listener = std::make_shared<Listener>();
  Context ctx = listening(listener);
  SimulationOptions options = usual(0.03);
  options.trajectory = SimulatedTrajectory::kooshball;
  options.matrix = {16, 16, 16}, options.readouts = 1500;
  auto simulation = noise_alone(true, options);
  Scan& scan = simulation.scan;
  const Readout& readout = scan.readouts.front();
  const std::size_t values = std::size_t{readout.header.samples} * readout.header.active_channels;
  for (std::size_t v = 0; v < values; ++v) scan.data[readout.data_offset + v] *= 0.99F;
  const auto result = reconstruct(simulation.scan, automatic_options(simulation), ctx);
  EXPECT_TRUE(result.report.solution.expectation->noise_alone);
  EXPECT_THAT(listener->warnings, HasSubstr("no signal above the noise"));
  // A faint image must be recognised: its mean sample is far below the noise.
  options.noise = 1;
  const auto faint = simulate_scan(options, ctx);
  EXPECT_FALSE(
      reconstruct(faint.scan, automatic_options(faint), ctx).report.solution.expectation->noise_alone);
}

}  // namespace
}  // namespace larmor
