#include <larmor/apps/commands/psf.hpp>
#include <larmor/apps/machine/read_scan.hpp>
#include <larmor/apps/output/outputs.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/io/arrays/matrix_market.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/mri/quality/psf.hpp>
#include <larmor/mri/reconstruct/steps/weigh.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace larmor::app {
namespace {

struct PsfOptions {
  ScanOptions scan;
  std::string output, mask;
  bool overwrite = false, json = false;
};

/// The sampled points, and their weights.
struct Sampling {
  Array<double> trajectory, density;
  Shape shape;
};

/// Samples (y, x) of a mask; nothing if the mask is a volume.
std::optional<SparsePattern> pattern_of_mask(const PsfOptions& options, Machine& machine) {
  if (options.mask.ends_with(".h5")) {
    ScanOptions cartesian = options.scan;
    cartesian.scan = options.mask;
    cartesian.kspace_file.clear();
    return cartesian_sampling(read_scan(cartesian, machine));
  }
  if (options.mask.ends_with(".mtx")) {
    SparsePattern pattern = read_matrix_market(options.mask);
    constexpr Index most_pixels = Index{1} << 28;
    if (pattern.rows > most_pixels / pattern.columns)
      throw input_error("the mask {} has {} x {} positions; expected at most {}", options.mask, pattern.rows,
                        pattern.columns, most_pixels);
    return pattern;
  }
  const Array<std::complex<float>> mask = read_array(options.mask);
  require_representable<std::complex<float>>("the mask " + options.mask, mask);
  Shape shape = mask.shape();
  while (shape.rank() > 2 && shape[0] == 1) shape = shape.drop_front(1);
  if (shape.rank() != 2) return std::nullopt;
  SparsePattern pattern{shape[0], shape[1], {}, {}};
  for (Index i = 0; i < mask.size(); ++i) {
    if (mask[i] == 0.0F) continue;
    pattern.row.push_back(static_cast<std::uint32_t>(i / shape[1]));
    pattern.column.push_back(static_cast<std::uint32_t>(i % shape[1]));
  }
  if (pattern.row.empty()) throw input_error("the mask {} is zero everywhere", options.mask);
  return pattern;
}

Sampling sampling_of_mask(const std::string& path) {
  const Array<std::complex<float>> mask = read_array(path);
  require_representable<std::complex<float>>("the mask " + path, mask);
  Shape shape = mask.shape();
  while (shape.rank() > 2 && shape[0] == 1) shape = shape.drop_front(1);
  if (shape.rank() != 2 && shape.rank() != 3)
    throw input_error("the mask {} has the shape {}, expected [(z,) y, x]", path, mask.shape().to_string());
  const Array<double> all = cartesian_points(shape).k;
  const Index dims = shape.rank();
  std::vector<double> k;
  for (Index i = 0; i < mask.size(); ++i)
    if (mask[i] != 0.0F) k.insert(k.end(), all.data() + i * dims, all.data() + (i + 1) * dims);
  if (k.empty()) throw input_error("the mask {} is zero everywhere", path);
  Sampling sampling{Array<double>({static_cast<Index>(k.size()) / dims, dims}), {}, shape};
  std::copy(k.begin(), k.end(), sampling.trajectory.begin());
  return sampling;
}

Sampling sampling_of_scan(const PsfOptions& options, Machine& machine) {
  const Scan scan = read_scan(options.scan, machine);
  const ReconstructOptions& reconstruct = options.scan.reconstruct;
  Sampling sampling;
  ScanPlan plan;
  Array<double> weights;
  if (reconstruct.density == DensityKind::automatic || reconstruct.density == DensityKind::none) {
    plan = plan_scan(scan, reconstruct.prepare);
  } else {
    EstimatedDensity estimated = estimate_density(scan, reconstruct, machine.ctx);
    plan = std::move(estimated.plan);
    weights = std::move(estimated.weights);
  }
  // Weights have one row for each sample; given weights are returned with the coordinates of the first image.
  const bool weighted = !weights.empty();
  if (weighted) {
    PrepareOptions again = reconstruct.prepare;
    static_cast<ReadingOptions&>(again) = plan.reading;
    again.third_delay = 0;
    again.weights = std::move(weights);
    plan = plan_scan(scan, again);
  }
  PreparedImage image = load_trajectory(plan, 0);
  sampling.trajectory = std::move(image.trajectory);
  if (weighted) sampling.density = std::move(image.weights);
  sampling.shape = plan.grids.solve_shape();
  return sampling;
}

void psf(PsfOptions& options, const Session& session) {
  Machine machine(options.scan.machine, session);
  machine.take_device();
  if ((options.scan.scan.empty() && options.scan.kspace_file.empty()) == options.mask.empty())
    throw usage_error("give one of these: a scan, a trajectory in place of SCAN, --kspace, or --mask FILE");
  std::vector<std::string> inputs = options.scan.inputs();
  inputs.push_back(options.mask);
  if (!options.output.empty())
    check_targets({{options.output, Content::array}}, options.overwrite, all_inputs(inputs, session));
  const GivenArrays given = read_given_arrays(options.scan);  // borrowed by the options
  Shape shape;
  Index samples = 0;
  PointSpread result;
  if (const auto pattern = options.mask.empty() ? std::nullopt : pattern_of_mask(options, machine)) {
    shape = {pattern->rows, pattern->columns};
    samples = pattern->entries();
    result = point_spread(*pattern, !options.output.empty(), machine.ctx);
  } else {
    const Sampling sampling =
        options.mask.empty() ? sampling_of_scan(options, machine) : sampling_of_mask(options.mask);
    shape = sampling.shape;
    samples = sampling.trajectory.shape()[0];
    result = point_spread(sampling.trajectory, sampling.density, shape, 1e-4, machine.ctx);
  }
  machine.ctx.throw_if_cancelled();
  if (!options.output.empty())
    write_array<std::complex<float>>(options.output, result.image.view(), options.overwrite);

  const double acceleration = static_cast<double>(shape.size()) / static_cast<double>(samples);
  if (options.json) {
    const std::vector<Index> at(result.at.begin(), result.at.begin() + shape.rank());
    const nlohmann::ordered_json out = {{"samples", samples},
                                        {"pixels", shape.size()},
                                        {"pixels_per_sample", acceleration},
                                        {"fwhm_pixels", result.fwhm},
                                        {"side_lobe", result.side_lobe},
                                        {"side_lobe_at", at},
                                        {"side_lobe_energy", result.side_lobe_energy},
                                        {"efficiency", result.efficiency}};
    print_out(out.dump(2) + "\n");
    return;
  }
  std::string fwhm, at;
  for (std::size_t axis = 0; axis < result.fwhm.size(); ++axis) {
    fwhm += fmt::format("{}{} {:.3f}", axis > 0 ? ", " : "", "xyz"[axis], result.fwhm[axis]);
    at += fmt::format("{}{}", axis > 0 ? ", " : "", result.at[axis]);
  }
  print_out(
      fmt::format("samples           {} for {} pixels ({:.3g} pixels a sample)\n"
                  "full width        {} pixels at half maximum\n"
                  "peak side lobe    {:.4g} of the peak, at ({}) pixels from it\n"
                  "side lobe energy  {:.4g} of the whole\n"
                  "efficiency        {:.4g} of the signal-to-noise of equal weights\n",
                  samples, shape.size(), acceleration, fwhm, result.side_lobe, at, result.side_lobe_energy,
                  result.efficiency));
}

}  // namespace

Command psf_command() {
  Command command("psf", "Compute the point-spread function of a trajectory or a Cartesian mask",
                  "Examples:\n"
                  "  recon psf scan.h5 --density voronoi -o psf.npy\n"
                  "  recon psf trajectory.npy --matrix 256 --json\n"
                  "  recon psf radial.seq --matrix 128\n"
                  "  recon psf --mask mask.npy");
  const auto options = std::make_shared<PsfOptions>();
  command.text("--mask", "FILE",
               "Cartesian sampling mask: an array [(z,) y, x], nonzero at sampled positions, a Matrix "
               "Market file (.mtx) or a Cartesian scan (.h5)",
               options->mask);
  command.text("-o,--output", "OUT",
               "complex point-spread function (" + extensions_for(FormatUse::array) + ")", options->output);
  command.flag("-f,--overwrite", "replace an output that exists", options->overwrite);
  command.flag("--json", "print JSON instead of a table", options->json);
  add_density_option(command, options->scan, "none");
  add_scan_options(command, options->scan);
  take_trajectory_alone(command, options->scan);
  add_kspace_options(command, options->scan, false);
  command.action = [options](const Session& session) { psf(*options, session); };
  return command;
}

}  // namespace larmor::app
