#include <larmor/apps/options/scan_options.hpp>
#include <larmor/apps/options/values.hpp>
#include <larmor/apps/options/vendor_scan.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/maps_file.hpp>
#include <larmor/io/pulseq/sequence_trajectory.hpp>
#include <larmor/io/scan_arrays/scan_of_arrays.hpp>
#include <larmor/mri/model/subspace.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace larmor::app {

std::vector<std::string> ScanOptions::inputs() const {
  std::vector<std::string> files{scan};
  for (const std::string* file : {&kspace_file, &trajectory_file, &response_file, &density_file, &maps_file,
                                  &calibration_file, &noise_file, &field_map_file, &decay_file,
                                  &field_weight_file, &basis_file, &dictionary_file, &bins_file}) {
    if (!file->empty()) files.push_back(*file);
  }
  if (const std::string beside = maps_geometry_path(maps_file); !beside.empty()) files.push_back(beside);
  for (const RegularizerSpec& spec : reconstruct.solve.regularizers)
    for (const auto& [key, value] : spec.parameters)
      if (key == "prior") files.push_back(value);
  return files;
}

namespace {

void read_delay(const std::string& text, PrepareOptions& prepare) {
  prepare.estimate_delay = text == "auto"       ? DelayMethod::ring
                           : text == "adaptive" ? DelayMethod::adaptive
                                                : DelayMethod::none;
  if (prepare.estimate_delay != DelayMethod::none) return;
  std::vector<double> values;
  for (const std::string& part : split(text, ',')) values.push_back(number_in(part, -100, 100));
  if (values.size() < 2 || values.size() > 3)
    throw usage_error(
        "expected auto, adaptive, or delays in samples as x,y, as x,y,xy in slices and stacks or as x,y,z in "
        "3D");
  prepare.delay = {values[0], values[1]};
  prepare.third_delay = values.size() > 2 ? values[2] : 0;
}

void add_grid_options(Command& command, GridOptions& grid) {
  command.heading("Grid");
  command.value("--matrix", "N[,N[,N]]", "image matrix x,y,z (default: the file's reconSpace)",
                [&grid](const std::string& text) { grid.matrix = matrix_of(text); });
  command.value("--fov", "MM[,MM[,MM]]", "field of view x,y,z in mm (default: the file's)",
                [&grid](const std::string& text) { grid.fov_mm = lengths_of(text); });
  command.value("--solve-fov", "F",
                "solve on a field of view F times as large, then crop (default: all that was sampled)",
                [&grid](const std::string& text) { grid.solve_fov = number_in(text, 1, 8); });
}

void add_trajectory_options(Command& command, ScanOptions& options) {
  PrepareOptions& prepare = options.reconstruct.prepare;
  command.heading("Trajectory");
  command.text("--trajectory", "FILE",
               "trajectory [samples, dims] to use instead of the scan's, or that of --kspace (.npy, .cfl), "
               "or a Pulseq "
               "sequence that samples it (.seq)",
               options.trajectory_file);
  command.choice<TrajectoryUnits>("--traj-units", "units of the trajectory", prepare.units,
                                  {{"auto", TrajectoryUnits::automatic},
                                   {"normalised", TrajectoryUnits::normalised},
                                   {"cycles/fov", TrajectoryUnits::cycles_per_fov},
                                   {"radians", TrajectoryUnits::radians},
                                   {"1/m", TrajectoryUnits::per_metre},
                                   {"rad/m", TrajectoryUnits::radians_per_metre}});
  command.value("--traj-layout", "COLUMNS",
                "what its columns are: kx, ky, kz, weight, time, phase or ignore, such as kx,ky,weight "
                "(default: by their number)",
                [&prepare](const std::string& text) {
                  for (const std::string& name : split(text, ','))
                    prepare.columns.push_back(static_cast<TrajectoryColumn>(
                        place_of(name, {"kx", "ky", "kz", "weight", "time", "phase", "ignore"})));
                });
  command.value(
      "--generate", "golden|tiny-golden|uniform|cartesian",
      "make the trajectory of a scan that comes without one", [&prepare](const std::string& text) {
        constexpr GeneratedTrajectory choices[] = {
            GeneratedTrajectory::golden, GeneratedTrajectory::tiny_golden, GeneratedTrajectory::uniform,
            GeneratedTrajectory::cartesian};
        prepare.generate = choices[place_of(text, {"golden", "tiny-golden", "uniform", "cartesian"})];
      });
  command.value(
      "--delay", "auto|adaptive|X,Y[,XY|,Z]",
      "correct for gradients that are late by so many samples; a third value is z's where readouts move "
      "along z, otherwise of xy. The delay of radial scans can be "
      "found: auto from crossing spokes (RING), in volumes from all readouts around the centre; adaptive "
      "from opposite spokes",
      [&prepare](const std::string& text) { read_delay(text, prepare); });
  command.text(
      "--gradient-response", "FILE",
      "correct by measured transfer functions [1+axes, frequencies] (.npy): first the frequencies in "
      "Hz, then a row for each axis",
      options.response_file);
  command.choice<bool>("--fov-shift", "move the image by the position that the readouts name",
                       prepare.apply_fov_shift, {{"none", false}, {"apply", true}});
  command.flag("--conjugate", "use the conjugate of the samples, for images that come out mirrored",
               prepare.conjugate);
}

void add_selection_options(Command& command, ScanOptions& options) {
  PrepareOptions& prepare = options.reconstruct.prepare;
  command.heading("Selection");
  command.text("--group", "NAME", "which HDF5 group to read, when the file has several", options.group);
  const auto add_range = [&](const std::string& name, const std::string& what, IndexRange& range) {
    command.value(name, "A:B", "only " + what + " A <= index < B, or one index (default: all)",
                  [&range](const std::string& text) { range = index_range_of(text); });
  };
  add_range("--slice", "slices", prepare.slice);
  add_range("--contrast", "contrasts", prepare.contrast);
  add_range("--cardiac-phase", "cardiac phases", prepare.phase);
  add_range("--repetition", "repetitions", prepare.repetition);
  add_range("--set", "sets", prepare.set);
  command.value("--encoding", "I", "which encoding of the header (default: the first with imaging data)",
                [&prepare](const std::string& text) { prepare.encoding = count_in(text, 0, 65535); });
}

}  // namespace

void add_scan_options(Command& command, ScanOptions& options) {
  command.word("SCAN", "ISMRMRD file with raw data", options.scan).required = true;
  add_grid_options(command, options.reconstruct.prepare.grid);
  add_trajectory_options(command, options);
  add_selection_options(command, options);
  add_machine_options(command, options.machine);
}

void add_kspace_options(Command& command, ScanOptions& options, bool needed) {
  command.heading("Arrays");
  command.text(
      "--kspace", "FILE",
      "k-space as an array instead of SCAN (.npy, .cfl with BART's dimensions), with --trajectory and "
      "--matrix; Cartesian lines need neither",
      options.kspace_file);
  command.value(
      "--kspace-axes", "NAMES",
      "its axes, slowest first: frames, slices, partitions, coils, readouts (or spokes, or lines of a "
      "Cartesian scan), samples, pair for real and imaginary parts (default: [frames,] "
      "coils, [readouts,] samples)",
      [&options](const std::string& text) { options.kspace_axes = split(text, ','); });
  command.require("--kspace-axes", "--kspace");
  command.option("SCAN").required = false;
  command.check([&options, needed, name = command.name()](const Command&) {
    if (!options.scan.empty() && !options.kspace_file.empty())
      throw usage_error("SCAN and --kspace exclude each other");
    if (needed && options.scan.empty() && options.kspace_file.empty())
      throw usage_error("SCAN is required, or --kspace (see recon {} --help)", name);
  });
}

void take_trajectory_alone(Command& command, ScanOptions& options) {
  options.takes_trajectory = true;
  command.option("SCAN").help =
      "ISMRMRD file with raw data, or a trajectory alone with --matrix: [(readouts,) samples, 2 or 3] "
      "(.npy), "
      "BART's (.cfl), or a Pulseq sequence (.seq)";
}

void add_density_option(Command& command, ScanOptions& options, const std::string& otherwise) {
  command.heading("Model");
  command.value(
      "--density", "pipe|analytic|voronoi|none|FILE",
      "how density weights are found (default: " + otherwise + ")", [&options](const std::string& text) {
        DensityKind& density = options.reconstruct.density;
        if (text == "pipe") {
          density = DensityKind::pipe;
        } else if (text == "analytic") {
          density = DensityKind::analytic;
        } else if (text == "voronoi") {
          density = DensityKind::voronoi;
        } else if (text == "none") {
          density = DensityKind::none;
        } else if (text.find_first_of("./") != std::string::npos) {
          density = DensityKind::given;
          options.density_file = text;
        } else {
          throw usage_error("not known, expected pipe, analytic, voronoi, none or a file such as w.npy");
        }
      });
}

void add_coil_options(Command& command, ScanOptions& options) {
  ReconstructOptions& reconstruct = options.reconstruct;
  command.heading("Coils");
  command.choice<Calibration>("--calibrate", "how coil maps are estimated from the data",
                              reconstruct.coils.calibration,
                              {{"espirit", Calibration::espirit},
                               {"walsh", Calibration::walsh},
                               {"nlinv", Calibration::nlinv},
                               {"none", Calibration::none}});
  command.choice<CalibrationReadouts>(
      "--calibration-readouts",
      "what readouts are that are flagged as calibration: data for the coil maps, or of the image too",
      reconstruct.coils.calibration_readouts,
      {{"auto", CalibrationReadouts::automatic},
       {"maps", CalibrationReadouts::maps},
       {"image", CalibrationReadouts::image}});
  command.count("--sets", "sets of coil maps, each with an image of its own (soft SENSE)",
                reconstruct.coils.sets, 1, 16);
  command.value("--coils", "N", "compress to N virtual coils (default: keep all)",
                [&reconstruct](const std::string& text) {
                  reconstruct.prepare.virtual_coils = count_in(text, 1, 65535);
                });
  command.choice<bool>(
      "--compression",
      "how: svd is one compression for all samples, geometric goes slice by slice of a stack",
      reconstruct.coils.geometric_compression, {{"svd", false}, {"geometric", true}});
  command.text("--noise", "FILE", "take the noise readouts of another scan", options.noise_file);
  command.flag("--no-whiten", "do not whiten the channels, although the file has noise readouts",
               [&reconstruct] { reconstruct.prepare.whiten = false; });
}

void add_physics_options(Command& command, ScanOptions& options) {
  command.heading("Physics and series");
  command.text("--field-map", "FILE", "off-resonance in Hz [(slices,) (z,) y, x] on the image's grid",
               options.field_map_file);
  command.text("--r2star", "FILE", "decay during the readout in 1/s, of the field map's shape",
               options.decay_file);
  command.text("--field-weight", "FILE", "where the field map matters, of its shape: 0 outside of the object",
               options.field_weight_file);
  command.value(
      "--window", "N[,STEP]",
      "series: frames of N readouts that follow each other; a frame begins every STEP readouts "
      "(default N)",
      [&options](const std::string& text) { options.reconstruct.frames.window = frame_window_of(text); });
  command.text(
      "--bins", "FILE",
      "series: the bin of every imaging readout, [readouts] or [readouts, axes], from 0; -1: not used",
      options.bins_file);
  command.text(
      "--basis", "FILE",
      "subspace [frames, coefficients]: solve for images of the coefficients. The frames are windows, "
      "bins or the images of a slice",
      options.basis_file);
  command.text("--dictionary", "FILE",
               "make the subspace from simulated time courses [entries, frames], by their singular vectors",
               options.dictionary_file);
  command.value("--coefficients", "N", "how many singular vectors of the dictionary",
                [&options](const std::string& text) { options.coefficients = count_in(text, 1, 64); });
  command.exclude({"--window", "--bins"});
  command.exclude({"--basis", "--dictionary"});
  command.require("--r2star", "--field-map");
  command.require("--field-weight", "--field-map");
  command.require("--coefficients", "--dictionary");
  command.require("--dictionary", "--coefficients");
}

namespace {

/// Whether any sample of a readout other than noise is not zero.
bool has_signal(const Scan& scan) {
  return std::any_of(scan.readouts.begin(), scan.readouts.end(), [&](const Readout& readout) {
    const std::size_t count = std::size_t{readout.header.samples} * readout.header.active_channels;
    if (readout.header.has(AcquisitionFlag::noise) || readout.data_offset + count > scan.data.size())
      return false;
    const auto* first = scan.data.data() + readout.data_offset;
    return std::any_of(first, first + count, [](const auto& sample) { return sample != 0.0F; });
  });
}

/// A Pulseq sequence, whose k-space is in 1/m.
bool is_sequence(const std::string& file) {
  return file.ends_with(".seq");
}

/// Whether SCAN is an array: a trajectory alone, for a command that can do with that.
bool is_array(const std::string& scan) {
  return scan.ends_with(".npy") || scan.ends_with(".cfl") || is_sequence(scan);
}
bool is_trajectory_alone(const ScanOptions& options) {
  return options.takes_trajectory && is_array(options.scan);
}

}  // namespace

GivenArrays read_given_arrays(ScanOptions& options) {
  GivenArrays given;
  PrepareOptions& prepare = options.reconstruct.prepare;
  if (!options.trajectory_file.empty() && options.kspace_file.empty())
    prepare.trajectory = read_array<double>(options.trajectory_file);
  if ((is_sequence(options.trajectory_file) || is_sequence(options.scan)) &&
      prepare.units == TrajectoryUnits::automatic)
    prepare.units = TrajectoryUnits::per_metre;
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
    given.field_map = converted<float>(read_array<double>(options.field_map_file).view());
    options.reconstruct.field.frequency = given.field_map.view();
  }
  if (!options.decay_file.empty()) {
    given.field_decay = converted<float>(read_array<double>(options.decay_file).view());
    options.reconstruct.field.decay = given.field_decay.view();
  }
  if (!options.field_weight_file.empty()) {
    given.field_weight = converted<float>(read_array<double>(options.field_weight_file).view());
    options.reconstruct.field.weight = given.field_weight.view();
  }
  if (!options.bins_file.empty()) {
    given.bins = read_array<double>(options.bins_file);
    options.reconstruct.frames.bins = given.bins.view();
  }
  if (!options.basis_file.empty()) {
    given.basis = converted<std::complex<double>>(read_array(options.basis_file).view());
    options.reconstruct.frames.basis = given.basis.view();
  }
  if (!options.dictionary_file.empty()) {
    const auto dictionary = converted<std::complex<double>>(read_array(options.dictionary_file).view());
    given.basis = subspace_from_dictionary(dictionary, options.coefficients).vectors;
    options.reconstruct.frames.basis = given.basis.view();
  }
  std::vector<GivenPrior>& priors = options.reconstruct.solve.priors;
  for (const RegularizerSpec& spec : options.reconstruct.solve.regularizers)
    for (const auto& [key, value] : spec.parameters)
      if (key == "prior") priors.push_back({value, given.priors.emplace_back(read_array(value)).view()});
  return given;
}

namespace {

/// The image that arrays are for: as options say, or the sequence that the trajectory comes from.
ScanGrid grid_of(const PrepareOptions& prepare, const Array<double>& trajectory, Index partitions,
                 const std::string& trajectory_file) {
  ScanGrid grid;
  const std::vector<Index>& matrix = prepare.grid.matrix;
  const bool volume = trajectory.size() > 0 && trajectory.shape()[5] == 3;
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
  if (is_sequence(trajectory_file) && !(grid.fov_mm[0] > 0))
    throw input_error("{} does not say the field of view", trajectory_file).about("fov");
  return grid;
}

/// Cycles per field of view, as BART counts, become cycles/pixel.
void to_pixels(Array<double>& trajectory, const PrepareOptions& prepare, const ScanGrid& grid,
               const std::string& file) {
  if (!file.ends_with(".cfl") || prepare.units != TrajectoryUnits::automatic || grid.matrix[0] == 0) return;
  const Index dims = trajectory.shape()[5];
  for (Index i = 0; i < trajectory.size(); ++i)
    trajectory[i] /= static_cast<double>(grid.matrix[static_cast<std::size_t>(i % dims)]);
}

/// A scan of the arrays that are named in its place.
Scan read_arrays(const ScanOptions& options) {
  const PrepareOptions& prepare = options.reconstruct.prepare;
  const KspaceArray kspace = read_kspace(options.kspace_file, options.kspace_axes);
  const bool given = !options.trajectory_file.empty();
  if (!given && !kspace.cartesian && prepare.generate == GeneratedTrajectory::none)
    throw input_error(
        "{} comes without a trajectory: give one, have one generated, or name the axis of Cartesian lines as "
        "such "
        "(coils,lines,samples)",
        options.kspace_file)
        .about("trajectory,generate,kspace_axes");
  if (given && kspace.cartesian)
    throw usage_error("Cartesian lines need no trajectory; name their axis readouts if they do")
        .about("kspace_axes");
  Array<double> trajectory;
  if (given) trajectory = read_trajectory_of(kspace, options.trajectory_file);

  const ScanGrid grid = grid_of(prepare, trajectory, kspace.samples.shape()[2], options.trajectory_file);
  if (given) to_pixels(trajectory, prepare, grid, options.trajectory_file);
  return scan_of_arrays(kspace, trajectory, grid, options.kspace_file);
}

/// A scan that samples a trajectory and measured nothing.
Scan read_trajectory(const ScanOptions& options) {
  const PrepareOptions& prepare = options.reconstruct.prepare;
  if (!options.trajectory_file.empty())
    throw usage_error("{} is a trajectory already; give one of the two", options.scan).about("trajectory");
  Array<double> trajectory = read_trajectory_alone(options.scan);
  const ScanGrid grid = grid_of(prepare, trajectory, 1, options.scan);
  to_pixels(trajectory, prepare, grid, options.scan);
  return scan_of_trajectory(trajectory, grid, options.scan);
}

}  // namespace

Scan read_scan(const ScanOptions& options, Machine& machine) {
  std::error_code unknown;
  const std::uintmax_t bytes =
      std::filesystem::file_size(options.scan.empty() ? options.kspace_file : options.scan, unknown);
  if (!unknown) machine.expect_reading(bytes);
  Scan scan;
  try {
    if (!options.kspace_file.empty())
      scan = read_arrays(options);
    else if (is_trajectory_alone(options))
      scan = read_trajectory(options);
    else if (is_array(options.scan))
      throw usage_error("{} is no scan: arrays are given as --kspace and --trajectory", options.scan);
    else
      scan = read_any_scan(options.scan,
                           {.group = options.group,
                            .memory_limit = machine.ctx.memory_limit(),
                            .external_trajectory = !options.trajectory_file.empty(),
                            .threads = machine.ctx.threads(),
                            .cancel = machine.cancel},
                           options.machine.quiet);
  } catch (const Error&) {
    machine.require_device();  // the command line's mistakes come before the files'
    throw;
  }
  for (const std::string& warning : scan.warnings) machine.console->warning(warning);
  if (!is_trajectory_alone(options) && !has_signal(scan))
    machine.console->warning(scan.source + ": every sample is zero, so what is made of it is zero too");
  for (const std::string& note : scan.notes) machine.console->detail(note);
  machine.console->progress("prepare", 0, 0, "");
  return scan;
}

}  // namespace larmor::app
