#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/maps_file.hpp>
#include <larmor/io/pulseq/sequence_scan.hpp>
#include <larmor/io/pulseq/sequence_trajectory.hpp>
#include <larmor/io/scan_arrays/scan_of_arrays.hpp>
#include <larmor/mri/calibration/place_maps.hpp>
#include <larmor/mri/model/subspace.hpp>
#include <larmor/mri/reconstruct/options/memory_plan.hpp>
#include <larmor/mri/reconstruct/other_scan.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>
#include <larmor/options/reconstruction/dictionary.hpp>
#include <larmor/options/reconstruction/scan_files.hpp>
#include <larmor/options/reconstruction/vendor_scan.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace larmor::app {

namespace {

/// A Pulseq sequence, whose k-space is in 1/m.
bool is_sequence(const std::string& file) {
  return file.ends_with(".seq");
}

/// True if SCAN is an array: a trajectory alone, for a command that accepts it.
bool is_array(const std::string& scan) {
  return scan.ends_with(".npy") || scan.ends_with(".cfl") || is_sequence(scan);
}

/// [(slices,) (frames,) (z,) y, x]
Array<std::complex<float>> read_placed(const std::string& file, GivenArrays& given) {
  PlacedMaps placed = read_coil_maps(file);
  if (!placed.geometry.empty()) given.places[file] = std::move(placed.geometry);
  return std::move(placed.maps);
}

Array<float> read_real_placed(const std::string& file, GivenArrays& given) {
  const Array<std::complex<float>> numbers = read_placed(file, given);
  Array<float> result(numbers.shape());
  for (Index i = 0; i < result.size(); ++i) {
    if (numbers[i].imag() != 0) throw input_error("{} holds complex numbers; expected real ones", file);
    result[i] = numbers[i].real();
  }
  return result;
}
// Reads the file of the trajectory and sets its units.
void read_given_trajectory(const ScanOptions& options, PrepareOptions& prepare) {
  if (!options.trajectory_file.empty() && options.kspace_file.empty() &&
      !is_sequence(options.trajectory_file))
    prepare.trajectory = read_array<double>(options.trajectory_file);
  if ((is_sequence(options.trajectory_file) || is_sequence(options.scan)) &&
      prepare.units == TrajectoryUnits::automatic)
    prepare.units = TrajectoryUnits::per_metre;
  // BART's trajectories are in cycles per field of view.
  const std::string& along = options.kspace_file.empty() ? options.scan : options.trajectory_file;
  if (along.ends_with(".cfl") && prepare.units == TrajectoryUnits::automatic)
    prepare.units = TrajectoryUnits::cycles_per_fov;
}

}  // namespace

bool is_trajectory_alone(const ScanOptions& options) {
  return options.takes_trajectory && is_array(options.scan);
}

GivenArrays read_given_arrays(ScanOptions& options) {
  GivenArrays given;
  PrepareOptions& prepare = options.reconstruct.prepare;
  read_given_trajectory(options, prepare);
  if (!options.motion_file.empty()) prepare.motion = read_array<double>(options.motion_file);
  if (!options.response_file.empty())
    prepare.gradient_response = converted<std::complex<double>>(read_array(options.response_file).view());
  if (!options.density_file.empty()) prepare.weights = read_array<double>(options.density_file);
  if (!options.noise_file.empty()) {
    given.noise = std::make_unique<Scan>(
        read_any_scan(options.noise_file, {.group = "", .external_trajectory = true}, options.machine.quiet));
    prepare.noise = given.noise.get();
  }
  if (!options.maps_file.empty()) {
    PlacedMaps placed = read_coil_maps(options.maps_file);
    given.maps = std::move(placed.maps);
    options.reconstruct.coils.maps = given.maps.view();
    options.reconstruct.coils.maps_geometry = std::move(placed.geometry);
  }
  if (!options.field_map_file.empty()) {
    given.field_map = read_real_placed(options.field_map_file, given);
    options.reconstruct.field.frequency = given.field_map.view();
  }
  if (!options.decay_file.empty()) {
    given.field_decay = read_real_placed(options.decay_file, given);
    options.reconstruct.field.decay = given.field_decay.view();
  }
  if (!options.field_weight_file.empty()) {
    given.field_weight = read_real_placed(options.field_weight_file, given);
    options.reconstruct.field.weight = given.field_weight.view();
  }
  if (!options.band_phases_file.empty())
    prepare.bands.factors = band_factors(read_array<double>(options.band_phases_file));
  if (!options.bins_file.empty()) {
    given.bins = read_array<double>(options.bins_file);
    options.reconstruct.frames.bins = given.bins.view();
  }
  if (!options.basis_file.empty()) {
    given.basis = converted<std::complex<double>>(read_array(options.basis_file).view());
    options.reconstruct.frames.basis = given.basis.view();
  }
  if (!options.dictionary_file.empty()) {
    given.basis =
        subspace_from_dictionary(read_curves(options.dictionary_file), options.coefficients).vectors;
    options.reconstruct.frames.basis = given.basis.view();
  }
  std::vector<GivenPrior>& priors = options.reconstruct.solve.priors;
  for (const RegularizerSpec& spec : options.reconstruct.solve.regularizers)
    for (const auto& [key, value] : spec.parameters)
      if (key == "prior")
        priors.push_back({value, given.priors.emplace_back(read_placed(value, given)).view()});
  return given;
}

void place_given_arrays(GivenArrays& given, ScanOptions& options, const Scan& scan, Context& ctx) {
  ReconstructOptions& reconstruct = options.reconstruct;
  for (const GivenPrior& prior : reconstruct.solve.priors)
    if (std::none_of(prior.image.begin(), prior.image.end(),
                     [](const auto& value) { return value.imag() != 0 || value.real() < 0; }))
      ctx.reporter().warning(prior.file + " holds magnitudes: the complex solution is drawn towards phase 0");
  if (given.places.empty()) return;
  Context host = ctx.host();
  ScanPlan plan = plan_scan(scan, prepare_options(reconstruct), &host);
  const auto placed = [&](View<const std::complex<float>> image, const std::string& file) {
    plan.notes.clear();
    plan.warnings.clear();
    auto result = placed_image(image, given.places.at(file), file, plan, host);
    for (const std::string& note : plan.notes) ctx.reporter().note(note);
    for (const std::string& warning : plan.warnings) ctx.reporter().warning(warning);
    return result;
  };
  const std::tuple<const std::string&, Array<float>&, View<const float>&> maps[] = {
      {options.field_map_file, given.field_map, reconstruct.field.frequency},
      {options.decay_file, given.field_decay, reconstruct.field.decay},
      {options.field_weight_file, given.field_weight, reconstruct.field.weight}};
  for (const auto& [file, map, view] : maps) {
    if (!given.places.contains(file)) continue;
    const auto result = placed(converted<std::complex<float>>(map.view()), file);
    if (result.empty()) continue;
    map = Array<float>(result.shape());
    for (Index i = 0; i < map.size(); ++i) map[i] = result[i].real();
    view = map.view();
  }
  std::vector<GivenPrior>& priors = reconstruct.solve.priors;
  for (std::size_t i = 0; i < priors.size(); ++i) {
    if (!given.places.contains(priors[i].file)) continue;
    auto result = placed(priors[i].image, priors[i].file);
    if (result.empty()) continue;
    given.priors[i] = std::move(result);
    priors[i].image = given.priors[i].view();
  }
}

namespace {

/// Pixels that a trajectory in 1/m resolves: the even number nearest to 2·k·FOV.
std::array<Index, 3> sampled_matrix(const Array<double>& trajectory, const Vec3& fov_mm) {
  const Index dims = trajectory.shape()[trajectory.shape().rank() - 1];
  Vec3 largest{0, 0, 0};
  for (Index i = 0; i < trajectory.size(); ++i) {
    double& so_far = largest[static_cast<std::size_t>(i % dims)];
    so_far = std::max(so_far, std::abs(trajectory[i]));
  }
  std::array<Index, 3> matrix{1, 1, 1};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dims); ++axis)
    matrix[axis] = std::clamp<Index>(2 * std::lround(1e-3 * fov_mm[axis] * largest[axis]), 1, 65535);
  return matrix;
}

/// The image for which arrays are meant: from options, or from the sequence that gives the trajectory.
ScanGrid grid_of(const PrepareOptions& prepare, const Array<double>& trajectory, Index partitions,
                 const std::string& trajectory_file) {
  ScanGrid grid;
  const std::vector<Index>& matrix = prepare.grid.matrix;
  const bool volume = !trajectory.empty() && trajectory.shape()[5] == 3;
  if (volume && matrix.size() < 3 && !matrix.empty())
    throw usage_error("a trajectory of 3 dimensions needs a matrix of 3, such as 64,64,64").about("matrix");
  if (!matrix.empty())
    grid.matrix = {matrix[0], matrix.size() > 1 ? matrix[1] : matrix[0],
                   matrix.size() > 2 ? matrix[2] : partitions};
  const std::vector<double>& fov = prepare.grid.fov_mm;
  if (!fov.empty())
    grid.fov_mm = {fov[0], fov.size() > 1 ? fov[1] : fov[0], fov.size() > 2 ? fov[2] : 0};
  else if (is_sequence(trajectory_file))
    grid.fov_mm = read_pulseq_fov(trajectory_file);
  if (is_sequence(trajectory_file) && matrix.empty()) grid.matrix = sampled_matrix(trajectory, grid.fov_mm);
  if (is_sequence(trajectory_file) && !(grid.fov_mm[0] > 0))
    throw input_error("{} does not give the field of view", trajectory_file).about("fov");
  return grid;
}

/// Throws Error (resource) if the user's limit leaves no memory for a scan in addition to its arrays.
void require_room(const KspaceArray& kspace, Index dims) {
  const std::size_t limit = host_array_limit();
  if (limit == 0) return;
  const Shape& shape = kspace.samples.shape();
  const Index readouts = shape.size() / (shape[3] * shape[5]);
  MemoryPlan plan;
  plan.add("process", resident_bytes());
  plan.add("scan", kspace.samples.view().bytes() +
                       static_cast<std::size_t>(readouts) *
                           (sizeof(Readout) + static_cast<std::size_t>(shape[5] * dims) * sizeof(float)));
  plan.require(limit);
}

/// [frames, slices, 1, …] as [frames, 1, slices, …]
template <typename T>
void slices_as_partitions(Array<T>& array) {
  if (array.empty() || array.shape()[2] > 1) return;
  Shape shape = array.shape();
  shape[2] = shape[1];
  shape[1] = 1;
  array = clone(array.view().reshaped(shape));
}

/// A scan made from the arrays that are given instead of a file.
Scan read_arrays(const ScanOptions& options) {
  const PrepareOptions& prepare = options.reconstruct.prepare;
  const bool given = !options.trajectory_file.empty(), bands = prepare.bands.count > 1;
  KspaceArray kspace = read_kspace(options.kspace_file, options.kspace_axes, given);
  if (!given && !kspace.cartesian && prepare.generate == GeneratedTrajectory::none)
    throw input_error(
        "{} has no trajectory: give one, generate one, or name the axis of Cartesian lines as lines "
        "(coils,lines,samples; of a .cfl file coils,lines,samples,slices)",
        options.kspace_file)
        .about("trajectory,generate,kspace_axes");
  if (given && kspace.cartesian)
    throw usage_error("Cartesian lines take no trajectory; name the axis readouts if these have one")
        .about("kspace_axes");
  Array<double> trajectory;
  if (given) trajectory = read_trajectory_of(kspace, options.trajectory_file);
  // BART's dimension 13 holds the Fourier steps along the bands.
  if (bands && options.kspace_axes.empty()) {
    slices_as_partitions(kspace.samples);
    slices_as_partitions(trajectory);
  }
  require_room(kspace, given ? trajectory.shape()[5] : 0);

  ScanGrid grid =
      grid_of(prepare, trajectory, bands ? 1 : kspace.samples.shape()[2], options.trajectory_file);
  grid.volume = !bands;
  Scan scan = scan_of_arrays(kspace, trajectory, grid, options.kspace_file);
  if (is_sequence(options.trajectory_file)) {
    take_sequence(options.trajectory_file, scan, true);
    add_sequence_times(options.trajectory_file, scan);
  }
  return scan;
}

/// A scan that samples a trajectory but has no data.
Scan read_trajectory(const ScanOptions& options) {
  const PrepareOptions& prepare = options.reconstruct.prepare;
  if (!options.trajectory_file.empty())
    throw usage_error("{} is itself a trajectory; give only one of the two", options.scan)
        .about("trajectory");
  const Array<double> trajectory = read_trajectory_alone(options.scan);
  const ScanGrid grid = grid_of(prepare, trajectory, 1, options.scan);
  return scan_of_trajectory(trajectory, grid, options.scan);
}

}  // namespace

Scan read_scan_files(const ScanOptions& options, IsmrmrdReadOptions how) {
  if (!options.kspace_file.empty()) return read_arrays(options);
  if (is_trajectory_alone(options)) return read_trajectory(options);
  if (is_array(options.scan))
    throw usage_error("{} is not a scan: give arrays as --kspace and --trajectory", options.scan);
  how.group = options.group;
  how.external_trajectory = !options.trajectory_file.empty();
  Scan scan = read_any_scan(options.scan, how, options.machine.quiet);
  if (is_sequence(options.trajectory_file)) take_sequence(options.trajectory_file, scan);
  return scan;
}

void take_given_sequence(ScanOptions& options, Scan& scan) {
  if (!is_sequence(options.trajectory_file)) return;
  take_sequence(options.trajectory_file, scan);
  TrajectoryUnits& units = options.reconstruct.prepare.units;
  if (units == TrajectoryUnits::automatic) units = TrajectoryUnits::per_metre;
  options.trajectory_file.clear();
}

Array<std::complex<float>> maps_of_calibration_file(const ScanOptions& options, const Scan& scan,
                                                    Context& ctx, const std::atomic<bool>* cancel) {
  const IsmrmrdReadOptions how{.group = "", .memory_limit = ctx.memory_limit(), .cancel = cancel};
  return maps_of_other_scan(read_any_scan(options.calibration_file, how, options.machine.quiet), scan,
                            options.reconstruct, ctx);
}

}  // namespace larmor::app
