#include <larmor/core/format_error.hpp>
#include <larmor/mri/density/density.hpp>
#include <larmor/mri/reconstruct/steps.hpp>
#include <larmor/mri/scan/prepare_trajectory.hpp>
#include <larmor/operators/nufft/nufft.hpp>

namespace larmor {
namespace {

bool has_weights(const ScanPlan& plan) {
  return plan.layout.weight_column >= 0 || plan.options.weights.size() > 0;
}

// Weights in a file have no agreed unit. F Fᴴ d = 1 where d is a quadrature of k-space, so d is scaled until
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

// Geometry needs whole readouts, samples beyond the recon grid's k-space included.
Array<double> from_geometry(const Scan& scan, const ScanPlan& plan, const PlannedImage& image,
                            DensityKind density, Context& ctx) {
  const TrajectoryReader reader(scan, plan);
  const Index length = kept_samples(scan.readouts[image.readouts.front()].header);
  Array<double> trajectory({image.samples, plan.dims});
  std::vector<char> inside, all_inside;
  std::vector<double> k, weights;
  double* row = trajectory.data();
  for (const std::size_t index : image.readouts) {
    reader.read_scaled(index, k, weights, inside);
    if (density == DensityKind::analytic && static_cast<Index>(inside.size()) != length)
      throw input_error("--density analytic needs readouts of equal length; use voronoi or pipe");
    row = std::copy(k.begin(), k.end(), row);
    all_inside.insert(all_inside.end(), inside.begin(), inside.end());
  }
  Context host = ctx.host();
  const Shape shape = plan.grids.solve_shape();
  const auto all = density == DensityKind::analytic ? analytic_density(trajectory, length, shape, host)
                                                    : voronoi_density(trajectory, shape, host);
  Array<double> result({image.samples - image.dropped});
  for (Index j = 0, kept = 0; j < all.size(); ++j)
    if (all_inside[static_cast<std::size_t>(j)]) result[kept++] = all[j];
  return result;
}

}  // namespace

DensityKind decide_density(const ScanPlan& plan, const ReconstructOptions& options) {
  if (options.density == DensityKind::given && !has_weights(plan))
    throw usage_error("density weights are asked for, but neither the file nor --density FILE holds any");
  if (options.density != DensityKind::automatic) return options.density;
  // With a coil model there are more samples than unknowns, and weighting them gives signal-to-noise away.
  // Coils of their own are barely determined: there weights cost nothing and save most of the iterations.
  if (options.solver != SolverKind::gridding && options.combine == Combine::sense) return DensityKind::none;
  return has_weights(plan) ? DensityKind::given : DensityKind::pipe;
}

Array<double> image_density(const Scan& scan, const ScanPlan& plan, std::size_t image,
                            const PreparedImage& data, DensityKind density, double nufft_tolerance,
                            Context& ctx) {
  switch (density) {
    case DensityKind::pipe: {
      // What is asked for lies within the recon field of view; the larger one that is solved on is a margin.
      PipeMenonOptions options;
      options.field_of_view = plan.grids.recon_shape();
      return pipe_menon(data.trajectory, plan.grids.solve_shape(), options, ctx);
    }
    case DensityKind::analytic:
    case DensityKind::voronoi:
      return from_geometry(scan, plan, plan.images.at(image), density, ctx);
    case DensityKind::given: {
      auto weights = clone(data.weights);
      if (plan.options.weights.size() == 0)
        normalise(data.trajectory, weights, plan.grids.solve_shape(), nufft_tolerance, ctx);
      return weights;
    }
    default:
      return {};
  }
}

EstimatedDensity estimate_density(const Scan& scan, const ReconstructOptions& options, Context& ctx) {
  EstimatedDensity result;
  result.plan = plan_scan(scan, with_estimated_delay(scan, options.prepare, ctx));
  const ScanPlan& plan = result.plan;
  for (const auto& note : plan.notes) ctx.reporter().note(note);
  for (const auto& warning : plan.warnings) ctx.reporter().warning(warning);
  ReconstructOptions gridding = options;
  gridding.solver = SolverKind::gridding;
  const DensityKind density = decide_density(plan, gridding);
  if (density == DensityKind::none) throw usage_error("--density none leaves nothing to compute");

  const bool shared = plan.distinct_trajectories == 1;
  auto rows = sample_rows(scan, plan);
  if (shared) {
    Index row = 0;
    for (const std::size_t index : plan.images.front().readouts) {
      rows[index] = row;
      row += kept_samples(scan.readouts[index].header);
    }
  }
  result.weights = filled({shared ? plan.images.front().samples : plan.total_samples()}, 0.0);
  const TrajectoryReader reader(scan, plan);
  std::vector<double> k, unused;
  std::vector<char> inside;
  const std::size_t images = shared ? 1 : plan.images.size();
  for (std::size_t i = 0; i < images; ++i) {
    ctx.throw_if_cancelled();
    const auto data = load_trajectory(scan, plan, i);
    const auto weights = image_density(scan, plan, i, data, density, options.nufft_tolerance, ctx);
    Index next = 0;
    for (const std::size_t index : plan.images[i].readouts) {
      reader.read_scaled(index, k, unused, inside);
      for (std::size_t j = 0; j < inside.size(); ++j)
        if (inside[j]) result.weights[rows[index] + static_cast<Index>(j)] = weights[next++];
    }
    ctx.reporter().progress("density", static_cast<Index>(i) + 1, static_cast<Index>(images), "");
  }
  return result;
}

}  // namespace larmor
