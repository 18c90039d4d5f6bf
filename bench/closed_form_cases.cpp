#include "closed_form_cases.hpp"
#include "mri/exact_samples.hpp"
#include "mri/phantom_image.hpp"
#include "problems.hpp"

#include <larmor/mri/model/sense.hpp>
#include <larmor/mri/model/subspace.hpp>
#include <larmor/mri/trajectory/gradient_delay.hpp>
#include <larmor/mri/trajectory/readout_errors.hpp>
#include <larmor/mri/trajectory/spiral.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>
#include <larmor/solvers/methods/circulant_preconditioner.hpp>
#include <larmor/solvers/methods/conjugate_gradient.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>

#include <fmt/format.h>

#include <numbers>

namespace larmor::bench {
namespace {

using C = std::complex<float>;
using D = std::complex<double>;
using std::numbers::pi;

Array<C> single(const Array<D>& values) {
  return converted<C>(values.view());
}

Method plain(const OperatorPtr<float>& model, const NormalOptions& options, Context& ctx, Index iterations) {
  Method method{
      .name = "cg", .model = model, .normal = model->normal(options, ctx), .iterations = iterations};
  return method;
}
Method regularised(const Method& plain, std::string term, double lambda, const ImageLayout& layout,
                   Index iterations) {
  Method method = plain;
  method.name = term;
  method.term = std::move(term);
  method.lambda = lambda;
  method.layout = layout;
  method.iterations = iterations;
  return method;
}

constexpr NormalOptions toeplitz{.toeplitz = NormalOptions::Toeplitz::on};
// The same options as `recon run` uses for normal operators. Errors of the NUFFT are relative to the largest
// eigenvalue; those of high frequencies are less than a thousandth of it if samples are dense in the centre
// of k-space.
constexpr double tolerance = 3e-5;
// Iterations of conjugate gradients: enough to include the best one even with little noise.
constexpr Index most_iterations = 100;

// The mean of xᴴHx/xᴴx over random vectors.
double mean_eigenvalue(const LinearOperator<float>& normal, Context& ctx) {
  Array<C> x(normal.domain());
  SplitMix random(3);
  for (C& value : x) value = std::polar(1.0F, static_cast<float>(2 * pi * random.uniform()));
  const auto there = moved_to(ctx.device(), std::move(x));
  return dot<float>(there, normal.apply(there, ctx), ctx).real() /
         static_cast<double>(normal.domain().size());
}

Case kooshball(bool quick, Context& ctx) {
  Context host = ctx.host();
  const Index n = quick ? 24 : 96, coils = quick ? 4 : 8;
  const Shape image{n, n, n};
  // The number of spokes is half the number of pixels on the surface of the k-space sphere: 4π(n/2)².
  const Index spokes = static_cast<Index>(pi * static_cast<double>(n * n) / 4);
  const auto trajectory = kooshball_3d(spokes, n);
  const Phantom phantom(3, head_phantom(3), coil_ring(3, coils));
  Case result{
      .name = "kooshball",
      .text = fmt::format("{}³, {} coils, {} centre-out spokes (a quarter of those that sample the sphere)",
                          n, coils, spokes),
      .samples = single(phantom.kspace(trajectory.k, image, host)),
      .truth = phantom.truth(image, host),
      .pixels = image.size(),
      .ball = 3,
      .methods = {}};
  const auto model =
      sense_model<float>(trajectory.k, phantom.maps(image, host).view(), {.tolerance = tolerance}, ctx);
  result.methods.push_back(plain(model.share(), toeplitz, ctx, quick ? 60 : 400));
  // The density of samples decreases with the squared distance from the centre, and most eigenvalues are far
  // below the largest: weights are relative to their mean, and steps are preconditioned.
  const LinearOperator<float>& normal = *result.methods[0].normal;
  const double largest = largest_eigenvalue(normal, ctx), mean = mean_eigenvalue(normal, ctx) / largest;
  result.figures["mean_eigenvalue"] = mean;
  for (const auto& [term, lambda] : {std::pair("wavelet", 0.1 * mean), std::pair("tv", 0.04 * mean)}) {
    Method method = regularised(result.methods[0], term, lambda, {image, 3}, quick ? 10 : 24);
    method.solver = Solver::admm;
    method.rho = 0.5 * mean;
    method.preconditioner = circulant_preconditioner<float>(
        normal, 3, {.lambda = method.rho, .norm_squared = largest, .floor = 0.1 * method.rho}, ctx);
    result.methods.push_back(std::move(method));
  }
  return result;
}

Case stack(bool quick, Context& ctx) {
  Context host = ctx.host();
  const Index n = quick ? 32 : 96, slices = quick ? 8 : 32, coils = quick ? 4 : 8;
  const Shape image{slices, n, n};
  const Index spokes = static_cast<Index>(pi / 2 * static_cast<double>(n) / 4);
  const auto trajectory = stack_of_stars({.spokes = spokes, .samples = 2 * n}, slices);
  const Phantom phantom(3, head_phantom(3), coil_ring(3, coils));
  Case result{.name = "stack-of-stars",
              .text = fmt::format("{}² × {}, {} coils, {} spokes on every plane (a quarter of Nyquist's)", n,
                                  slices, coils, spokes),
              .samples = single(phantom.kspace(trajectory.k, image, host)),
              .truth = phantom.truth(image, host),
              .pixels = image.size(),
              .ball = 2,
              .methods = {}};
  const auto model =
      sense_model<float>(trajectory.k, phantom.maps(image, host).view(), {.tolerance = tolerance}, ctx);
  result.methods.push_back(plain(model.share(), toeplitz, ctx, quick ? 24 : 200));
  const ImageLayout layout{image, 3};
  result.methods.push_back(regularised(result.methods[0], "wavelet", 5e-4, layout, 40));
  result.methods.back().solver = Solver::admm;
  result.methods.push_back(regularised(result.methods[0], "tv", 2e-4, layout, 40));
  return result;
}

// From −scale to scale Hz across the field of view.
Array<float> shim(const Shape& shape, double scale) {
  Array<float> map(shape);
  for (Index i = 0; i < map.size(); ++i) {
    const double x = static_cast<double>(i % shape[1]) / static_cast<double>(shape[1]) - 0.5;
    const double y = static_cast<double>(i / shape[1]) / static_cast<double>(shape[0]) - 0.5;
    map[i] = static_cast<float>(scale * std::sin(pi / 1.2 * (x + 0.2 * std::cos(pi * y))));
  }
  return map;
}

Case field(bool quick, Context& ctx) {
  Context host = ctx.host();
  const Index n = quick ? 64 : 128, coils = 2;
  const Shape image{n, n}, fine{2 * n, 2 * n};
  const Phantom phantom(2, head_phantom(2), coil_ring(2, coils));
  const auto spiral = variable_density_spiral({.matrix = n, .interleaves = quick ? 6 : 10});
  const Index length = spiral.samples_per_readout, samples = spiral.k.shape()[0];
  Array<double> times({samples});
  for (Index j = 0; j < samples; ++j)
    times[j] = 20e-3 * static_cast<double>(j % length) / static_cast<double>(length - 1);
  auto k_fine = clone(spiral.k);
  for (double& k : k_fine) k *= 0.5;
  const auto field_fine = shim(fine, 150), frequency = shim(image, 150);
  const auto object = test::phantom_image(phantom, fine, 4, host),
             sensitivities = test::phantom_sensitivities(phantom, fine, host);
  const auto scanned = [&](const Array<float>& frequencies) {
    auto sums = exact_samples(object, sensitivities, {frequencies, {}, {}}, k_fine, times, host);
    for (D& value : sums) value *= 0.25;
    return single(sums);
  };
  Case result{.name = "field-map",
              .text = fmt::format("{}², {} coils, {} spiral interleaves of 20 ms, ±150 Hz", n, coils,
                                  spiral.readouts),
              .samples = scanned(field_fine),
              .reference_samples = scanned(filled<float>(fine, 0)),
              .truth = phantom.truth(image, host),
              .largest_of_resonance = quick ? 1.7 : 1.3,
              .pixels = image.size(),
              .methods = {}};
  const auto segments = time_segments({frequency, {}, {}}, times, {.accuracy = 1e-3}, ctx);
  const auto error = segment_error(segments, {frequency, {}, {}}, times);
  result.figures = {{"segments", static_cast<double>(segments.count())},
                    {"segment_error_rms", error.rms},
                    {"segment_error_max", error.max}};
  const CoilMaps<float> maps(moved_to(ctx.device(), phantom.maps(image, host)));
  const NufftOptions options{.tolerance = 1e-4, .batch = coils};
  const auto uncorrected = sense_model(Nufft<float>(spiral.k, image, options, ctx), maps);
  const auto corrected = off_resonance_model(spiral.k.view(), segments.basis.view(),
                                             segment_images<float>(segments, ctx), maps, options, ctx);
  result.methods.push_back(plain(uncorrected.share(), toeplitz, ctx, quick ? 20 : most_iterations));
  result.methods.push_back(plain(corrected.share(), toeplitz, ctx, quick ? 20 : most_iterations));
  result.methods.back().name = "corrected";
  result.methods.push_back(result.methods[0]);
  result.methods.back().name = "on resonance";
  result.methods.back().reference_samples = true;
  return result;
}

PhantomPart disc(double intensity, double x, double y, double radius) {
  return {PhantomPart::Kind::ellipsoid, intensity, {x, y, 0}, {radius, 0.8 * radius, radius}, 0.3};
}

// Converts samples [coils, frames · samples of a frame] to those of each frame in turn.
std::function<Array<C>(const Array<C>&)> by_frame(Index frames) {
  return [frames](const Array<C>& samples) {
    const Index coils = samples.shape()[0], each = samples.shape()[1] / frames;
    Array<C> arranged({samples.size()});
    for (Index c = 0; c < coils; ++c)
      for (Index f = 0; f < frames; ++f)
        std::copy_n(samples.data() + (c * frames + f) * each, each, arranged.data() + (f * coils + c) * each);
    return arranged;
  };
}

// A model for each frame, with the samples between f and f + 1 of `frames` equal parts.
OperatorPtr<float> frame_by_frame(const Array<double>& k, Index frames, const CoilMaps<float>& maps,
                                  Context& ctx) {
  const Index each = k.shape()[0] / frames;
  std::vector<Operator<float>> models;
  for (Index f = 0; f < frames; ++f)
    models.push_back(sense_model(Nufft<float>(k.view().slices(f * each, each), maps.domain(),
                                              {.tolerance = 1e-4, .batch = maps.codomain()[0]}, ctx),
                                 maps)
                         .share());
  return series_model(std::move(models), {frames}).share();
}

// Golden-angle spokes, all of a frame together; those of frame f are f, f + frames, … of the golden sequence.
Array<double> interleaved_spokes(Index frames, Index spokes, Index samples) {
  const auto golden = radial_2d({.spokes = frames * spokes, .samples = samples}).k;
  Array<double> k(golden.shape());
  for (Index f = 0; f < frames; ++f)
    for (Index s = 0; s < spokes; ++s)
      std::copy_n(golden.data() + (s * frames + f) * samples * 2, samples * 2,
                  k.data() + (f * spokes + s) * samples * 2);
  return k;
}

Case subspace(bool quick, Context& ctx) {
  Context host = ctx.host();
  const Index n = quick ? 40 : 96, coils = 4, echoes = 12, spokes = quick ? 7 : 12;
  const Shape image{n, n};
  const auto decay = [](double t2) { return [t2](double t) { return D(std::exp(-t / t2)); }; };
  const auto ring = coil_ring(2, coils);
  std::vector<Tissue> tissues;
  tissues.push_back(
      {Phantom(2, {disc(1, 0, 0, 0.4), disc(-1, 0.12, 0.1, 0.13), disc(-1, -0.15, 0, 0.1)}, ring),
       decay(45e-3)});
  tissues.push_back({Phantom(2, {disc(0.9, 0.12, 0.1, 0.13)}, ring), decay(90e-3)});
  tissues.push_back({Phantom(2, {disc(1.1, -0.15, 0, 0.1)}, ring), decay(250e-3)});
  const auto k = interleaved_spokes(echoes, spokes, 2 * n);
  const Index each = spokes * 2 * n;
  std::vector<double> echo_times, t2;
  for (Index e = 0; e < echoes; ++e) echo_times.push_back(10e-3 * static_cast<double>(e + 1));
  for (int i = 0; i < 60; ++i) t2.push_back(20e-3 * std::pow(15.0, i / 59.0));  // 20 … 300 ms
  Array<double> times({echoes * each});
  std::vector<Index> echo;
  for (Index j = 0; j < times.size(); ++j) {
    echo.push_back(j / each);
    times[j] = echo_times[static_cast<std::size_t>(j / each)];
  }
  Case result{.name = "subspace",
              .text = fmt::format("{}², {} coils, {} echoes of {} golden spokes, three values of T2", n,
                                  coils, echoes, spokes),
              .samples = single(tissue_samples(tissues, image, k, times, host)),
              .truth = tissue_truth(tissues, image, echo_times, host),
              .pixels = image.size(),
              .methods = {}};
  const CoilMaps<float> maps(moved_to(ctx.device(), tissues.front().phantom.maps(image, host)));
  result.methods.push_back(
      plain(frame_by_frame(k, echoes, maps, ctx), toeplitz, ctx, quick ? 30 : most_iterations));
  result.methods.back().arrange = by_frame(echoes);
  const auto basis =
      std::make_shared<const SubspaceBasis>(subspace_from_dictionary(t2_decays(echo_times, t2), 4));
  const auto model =
      subspace_model(k.view(), rows_of_samples(*basis, echo).view(), maps, {.tolerance = 1e-4}, ctx);
  Method coefficients = plain(model.share(), toeplitz, ctx, quick ? 30 : most_iterations);
  coefficients.name = "subspace";
  coefficients.shown = [basis](Array<C> x) {
    Context cpu;
    return echo_images(*basis, x, cpu);
  };
  result.methods.push_back(coefficients);
  result.methods.push_back(regularised(coefficients, "wavelet:joint=1", 5e-4, {image.prepend(4), 2}, 60));
  result.methods.back().name = "subspace, wavelet";
  return result;
}

Case dynamic(bool quick, Context& ctx) {
  Context host = ctx.host();
  const Index n = quick ? 32 : 64, coils = 4, frames = quick ? 16 : 40, spokes = quick ? 5 : 8;
  const Shape image{n, n};
  const auto ring = coil_ring(2, coils);
  // A contrast agent that reaches one region after the other.
  const auto uptake = [frames](double start, double rate) {
    return [=](double frame) {
      const double t = frame - start * static_cast<double>(frames);
      return D(t > 0 ? 1 - std::exp(-rate * t / static_cast<double>(frames)) : 0.0);
    };
  };
  std::vector<Tissue> tissues;
  tissues.push_back({Phantom(2, head_phantom(2), ring), [](double) { return D(1); }});
  tissues.push_back({Phantom(2, {disc(0.8, 0.12, 0.1, 0.1)}, ring), uptake(0.2, 8)});
  tissues.push_back({Phantom(2, {disc(0.6, -0.15, 0, 0.08)}, ring), uptake(0.4, 4)});
  const auto k = interleaved_spokes(frames, spokes, 2 * n);
  const Index each = spokes * 2 * n;
  Array<double> times({frames * each});
  std::vector<double> at;
  for (Index j = 0; j < times.size(); ++j) times[j] = static_cast<double>(j / each);
  for (Index f = 0; f < frames; ++f) at.push_back(static_cast<double>(f));
  Case result{.name = "dynamic",
              .text = fmt::format("{}², {} coils, {} frames of {} golden spokes, two regions that change", n,
                                  coils, frames, spokes),
              .samples = single(tissue_samples(tissues, image, k, times, host)),
              .truth = tissue_truth(tissues, image, at, host),
              .pixels = image.size(),
              .methods = {}};
  const CoilMaps<float> maps(moved_to(ctx.device(), tissues.front().phantom.maps(image, host)));
  result.methods.push_back(
      plain(frame_by_frame(k, frames, maps, ctx), toeplitz, ctx, quick ? 30 : most_iterations));
  result.methods.back().arrange = by_frame(frames);
  result.methods.push_back(regularised(result.methods[0], "ttv", 4e-3, {image.prepend(frames), 2}, 60));
  return result;
}

Case delays(bool quick, Context& ctx) {
  Context host = ctx.host();
  const Index n = quick ? 64 : 128, coils = 6, spokes = quick ? 48 : 100, length = 2 * n;
  const Shape image{n, n};
  constexpr GradientDelay truth{.x = 0.7, .y = -0.4, .xy = 0};
  const auto nominal = radial_2d({.spokes = spokes, .samples = length}).k;
  const auto moved = [=](const Array<double>& k, const GradientDelay& delay) {
    auto later = clone(k);
    for (Index s = 0; s < spokes; ++s) apply_gradient_delay(later.data() + 2 * s * length, length, 2, delay);
    return later;
  };
  const auto actual = moved(nominal, truth);
  const Phantom phantom(2, head_phantom(2), coil_ring(2, coils));
  Case result{.name = "delays",
              .text = fmt::format("{}², {} coils, {} golden spokes of {} samples, late by {} (x) and {} (y)",
                                  n, coils, spokes, length, truth.x, truth.y),
              .samples = single(phantom.kspace(actual, image, host)),
              .truth = phantom.truth(image, host),
              .largest_deviation = 0.05,
              .pixels = image.size(),
              .methods = {}};
  const CoilMaps<float> maps(moved_to(ctx.device(), phantom.maps(image, host)));
  const auto model = [maps, image, coils, &ctx](const Array<double>& k) {
    return sense_model(Nufft<float>(k, image, {.tolerance = 1e-4, .batch = coils}, ctx), maps).share();
  };
  result.methods.push_back(plain(model(nominal), toeplitz, ctx, quick ? 30 : most_iterations));
  result.methods.push_back(result.methods[0]);
  result.methods.back().name = "delays found";
  const auto k = std::make_shared<const Array<double>>(clone(nominal));
  result.methods.back().fitted = [=](const Array<C>& samples, double& deviation) {
    Context cpu;
    const auto found = estimate_readout_errors(*k, samples, length, {n, n, 1}, cpu).delay;
    deviation =
        std::max({std::abs(found.x - truth.x), std::abs(found.y - truth.y), std::abs(found.xy - truth.xy)});
    return model(moved(*k, found));
  };
  result.methods.push_back(plain(model(actual), toeplitz, ctx, quick ? 30 : most_iterations));
  result.methods.back().name = "delays known";
  return result;
}

}  // namespace

const std::vector<CaseRow>& closed_form_cases() {
  static const std::vector<CaseRow> rows = {{"kooshball", kooshball}, {"stack-of-stars", stack},
                                            {"field-map", field},     {"subspace", subspace},
                                            {"dynamic", dynamic},     {"delays", delays}};
  return rows;
}

}  // namespace larmor::bench
