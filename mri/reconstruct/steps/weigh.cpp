#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/mri/calibration/estimated_delay.hpp>
#include <larmor/mri/density/density.hpp>
#include <larmor/mri/density/density_geometry.hpp>
#include <larmor/mri/reconstruct/options/report.hpp>
#include <larmor/mri/reconstruct/options/rules.hpp>
#include <larmor/mri/reconstruct/steps/weigh.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <algorithm>

namespace larmor {
namespace {

bool has_weights(const ScanPlan& plan) {
  return plan.layout.weight_column >= 0 || plan.reading.weights.size() > 0;
}

// Weights in a file have no agreed unit. F Fᴴ d = 1 if d is a quadrature of k-space, so d is scaled until
// that holds on average.
void normalise(View<const double> trajectory, Array<double>& weights, const Shape& pixels, double tolerance,
               Context& ctx) {
  using C = std::complex<double>;
  NufftOptions options;
  options.tolerance = tolerance;
  const Nufft<double> nufft(trajectory, pixels, options, ctx);
  const auto d = moved_to(ctx.device(), converted<C>(weights.view()));
  const auto back = nufft.apply(nufft.adjoint(d, ctx), ctx);
  const double covered = dot<double>(d, back, ctx).real();
  double sum = 0;
  for (const double weight : weights) sum += weight;
  if (!(covered > 0)) throw input_error("density weights of the file are all zero");
  for (double& weight : weights) weight *= sum / covered;
}

// Geometry needs complete readouts, including samples beyond the recon grid's k-space.
Array<double> from_geometry(const ScanPlan& plan, const std::vector<std::size_t>& readouts,
                            DensityKind density, Context& ctx) {
  const Index length = std::ssize(plan.at(readouts.front()).inside);
  std::vector<char> all_inside;
  std::vector<double> trajectory;
  for (const std::size_t index : readouts) {
    const ReadoutCoordinates& readout = plan.at(index);
    if (density == DensityKind::analytic && std::ssize(readout.inside) != length)
      throw input_error("analytic density needs readouts of equal length; use voronoi or pipe");
    trajectory.insert(trajectory.end(), readout.k.begin(), readout.k.end());
    all_inside.insert(all_inside.end(), readout.inside.begin(), readout.inside.end());
  }
  Context host = ctx.host();
  const Shape shape = plan.grids.solve_shape();
  const View<const double> whole(trajectory.data(), {static_cast<Index>(all_inside.size()), plan.dims});
  const auto all = density == DensityKind::analytic ? analytic_density(whole, length, shape, host)
                                                    : voronoi_density(whole, shape, host);
  Array<double> result({std::count(all_inside.begin(), all_inside.end(), char{1})});
  for (Index j = 0, kept = 0; j < all.size(); ++j)
    if (all_inside[static_cast<std::size_t>(j)]) result[kept++] = all[j];
  return result;
}

void warn_of_few(const ScanPlan& plan, const Array<double>& weights, Reporter& reporter) {
  double sum = 0, largest = 0;
  Index used = 0;
  for (const double weight : weights) sum += weight, largest = std::max(largest, weight), used += weight > 0;
  if (used > 1 && largest > sum - largest)
    reporter.warning("one of the density weights of the samples is larger than all others together");
  const Index unknowns = plan.grids.recon_shape().size();
  if (used < weights.size() && used * plan.channels < unknowns)
    reporter.warning(fmt::format(
        "density weights of the samples: {} of {} are not 0, too few samples for an image of {} pixels", used,
        weights.size(), unknowns));
}

// readouts: the file's readouts that belong to the frame.
Array<double> frame_density(const ScanPlan& plan, const std::vector<std::size_t>& readouts,
                            const PreparedImage& frame, DensityKind density, double nufft_tolerance,
                            Context& ctx) {
  switch (density) {
    case DensityKind::pipe: {
      // The requested image lies within the recon field of view; the larger solve grid is a margin.
      PipeMenonOptions options;
      options.field_of_view = plan.grids.recon_shape();
      return pipe_menon(frame.trajectory, plan.grids.solve_shape(), options, ctx);
    }
    case DensityKind::analytic:
    case DensityKind::voronoi:
      return from_geometry(plan, readouts, density, ctx);
    case DensityKind::given: {
      auto weights = clone(frame.weights);
      require_comparable<double>("density weights of the samples", weights);
      warn_of_vanishing<double>("density weights of the samples", weights, ctx.reporter());
      warn_of_few(plan, weights, ctx.reporter());
      if (plan.reading.weights.size() == 0)
        normalise(frame.trajectory, weights, plan.grids.solve_shape(), nufft_tolerance, ctx);
      return weights;
    }
    default:
      return {};
  }
}

// Readouts of the file, frame by frame.
std::vector<std::vector<std::size_t>> readouts_of_frames(const ScanPlan& plan, const PlannedSeries& series) {
  std::vector<std::vector<std::size_t>> images, result;
  std::vector<std::size_t> all;
  for (const std::size_t image : series.images) {
    images.push_back(plan.images[image].readouts);
    all.insert(all.end(), images.back().begin(), images.back().end());
  }
  if (!series.frames) return images;
  for (const auto& places : series.frames->readouts) {
    auto& frame = result.emplace_back();
    for (const Index place : places) frame.push_back(all[static_cast<std::size_t>(place)]);
  }
  return result;
}

}  // namespace

DensityKind decide_density(const ScanPlan& plan, const ReconstructOptions& options) {
  if (options.density != DensityKind::automatic) return options.density;
  // With a coil model there are more samples than unknowns, and weighting them reduces the signal-to-noise
  // ratio. Separate coil images are barely determined: there weights cost nothing and save most of the
  // iterations.
  if (without_density(options)) return DensityKind::none;
  return has_weights(plan) ? DensityKind::given : DensityKind::pipe;
}

const char* density_name(const ScanPlan& plan, DensityKind density) {
  return density == DensityKind::given && plan.reading.weights.size() == 0 ? "file" : to_string(density);
}

void weigh_frames(const ScanPlan& plan, const PlannedSeries& series, DensityKind density,
                  double nufft_tolerance, std::vector<PreparedImage>& frames, Context& ctx) {
  if (density == DensityKind::none) {
    for (PreparedImage& frame : frames) frame.weights = {};
    return;
  }
  const auto readouts = readouts_of_frames(plan, series);
  const auto equal = [](const Array<double>& a, const Array<double>& b) {
    return a.shape() == b.shape() && std::equal(a.begin(), a.end(), b.begin());
  };
  for (std::size_t f = 0; f < frames.size(); ++f) {
    ctx.throw_if_cancelled();
    const auto same =
        std::find_if(frames.begin(), frames.begin() + static_cast<Index>(f), [&](const PreparedImage& other) {
          return density != DensityKind::given && equal(other.trajectory, frames[f].trajectory);
        });
    const bool known = same - frames.begin() < static_cast<Index>(f);
    frames[f].weights = known ? clone(same->weights)
                              : frame_density(plan, readouts[f], frames[f], density, nufft_tolerance, ctx);
  }
}

EstimatedDensity estimate_density(const Scan& scan, const ReconstructOptions& options, Context& ctx) {
  EstimatedDensity result;
  result.plan = plan_scan(scan, with_estimated_delay(scan, options.prepare, ctx));
  const ScanPlan& plan = result.plan;
  tell(plan.notes, plan.warnings, ctx);
  ReconstructOptions gridding = options;
  gridding.solve.gridding = true;
  check_rules(gridding, plan);
  const DensityKind density = decide_density(plan, gridding);
  if (density == DensityKind::none) throw usage_error("with density none there is nothing to compute");

  const bool shared = plan.coordinates->distinct() == 1;
  auto rows = sample_rows(scan, plan);
  if (shared) {
    Index row = 0;
    for (const std::size_t index : plan.images.front().readouts) {
      rows[index] = row;
      row += kept_samples(scan.readouts[index].header);
    }
  }
  result.weights = filled({shared ? plan.images.front().samples : plan.total_samples()}, 0.0);
  const std::size_t images = shared ? 1 : plan.images.size();
  for (std::size_t i = 0; i < images; ++i) {
    ctx.throw_if_cancelled();
    const auto data = load_trajectory(plan, i);
    const auto weights =
        frame_density(plan, plan.images[i].readouts, data, density, options.transform.tolerance, ctx);
    Index next = 0;
    for (const std::size_t index : plan.images[i].readouts) {
      const auto inside = plan.at(index).inside;
      for (std::size_t j = 0; j < inside.size(); ++j)
        if (inside[j]) result.weights[rows[index] + static_cast<Index>(j)] = weights[next++];
    }
    ctx.reporter().progress("density", static_cast<Index>(i) + 1, static_cast<Index>(images), "");
  }
  return result;
}

}  // namespace larmor
