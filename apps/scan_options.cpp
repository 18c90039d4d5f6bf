#include <larmor/apps/options.hpp>
#include <larmor/apps/scan_options.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/reader.hpp>
#include <larmor/mri/model/subspace.hpp>

#include <sstream>

namespace larmor::app {

std::vector<std::string> ScanOptions::inputs() const {
  std::vector<std::string> files{scan};
  for (const std::string* file :
       {&trajectory_file, &response_file, &density_file, &maps_file, &field_map_file, &decay_file,
        &field_weight_file, &basis_file, &dictionary_file, &bins_file}) {
    if (!file->empty()) files.push_back(*file);
  }
  for (const RegularizerSpec& spec : reconstruct.regularizers)
    for (const auto& [key, value] : spec.parameters)
      if (key == "prior") files.push_back(value);
  return files;
}

namespace {

void parse_delay(const std::string& text, PrepareOptions& prepare) {
  prepare.estimate_delay = text == "auto"       ? DelayMethod::ring
                           : text == "adaptive" ? DelayMethod::adaptive
                                                : DelayMethod::none;
  if (prepare.estimate_delay != DelayMethod::none) return;
  std::vector<double> values;
  std::stringstream stream(text);
  std::string part;
  while (std::getline(stream, part, ',')) values.push_back(parse_number("--delay", part, -100, 100));
  if (values.size() < 2 || values.size() > 3)
    throw usage_error("--delay '{}': expected auto, adaptive, or delays in samples as x,y or x,y,xy", text);
  prepare.delay = {values[0], values[1], values.size() > 2 ? values[2] : 0.0};
}

}  // namespace

void add_scan_options(CLI::App& app, ScanOptions& options) {
  PrepareOptions& prepare = options.reconstruct.prepare;
  add_scan(app, options.scan);

  const std::string grid = "Grid";
  add_parsed(app, "--matrix", "N[,N[,N]]", "image matrix x,y,z (default: the file's reconSpace)",
             [&prepare](const std::string& text) { prepare.grid.matrix = parse_matrix("--matrix", text); })
      ->group(grid);
  add_parsed(app, "--fov", "MM[,MM[,MM]]", "field of view x,y,z in mm (default: the file's)",
             [&prepare](const std::string& text) { prepare.grid.fov_mm = parse_lengths("--fov", text); })
      ->group(grid);
  add_parsed(app, "--solve-fov", "F",
             "solve on a field of view F times the image's, then crop (default: what was sampled)",
             [&prepare](const std::string& text) {
               prepare.grid.solve_fov = parse_number("--solve-fov", text, 1, 8);
             })
      ->group(grid);

  const std::string trajectory = "Trajectory";
  add_text(app, "--trajectory", "FILE", "trajectory [samples, dims] (.npy) instead of the scan's",
           options.trajectory_file)
      ->group(trajectory);
  add_parsed(app, "--traj-units", "auto|normalised|cycles/fov|radians|1/m|rad/m",
             "units of the trajectory (default auto)",
             [&prepare](const std::string& text) { prepare.units = parse_trajectory_units(text); })
      ->group(trajectory);
  add_text(app, "--traj-layout", "COLUMNS",
           "meaning of its columns, such as kx,ky,weight (default: by their number)", prepare.layout)
      ->group(trajectory);
  add_parsed(
      app, "--generate", "golden|tiny-golden|uniform|cartesian", "make a trajectory for a file without one",
      [&prepare](const std::string& text) {
        for (const char* name : {"golden", "tiny-golden", "uniform", "cartesian"}) {
          if (text == name) prepare.generate = text;
        }
        if (prepare.generate != text || text.empty())
          throw usage_error(
              "--generate '{}' is not known: expected one of golden|tiny-golden|uniform|cartesian", text);
      })
      ->group(trajectory);
  add_parsed(
      app, "--delay", "auto|adaptive|X,Y[,XY]",
      "correct for gradients that are late by so many samples; found from radial data: auto where spokes "
      "cross (RING), adaptive from spokes of opposite directions",
      [&prepare](const std::string& text) { parse_delay(text, prepare); })
      ->group(trajectory);
  add_text(app, "--gradient-response", "FILE",
           "correct by measured transfer functions [1+axes, frequencies] (.npy): a row of Hz, then each axis",
           options.response_file)
      ->group(trajectory);
  add_choice<bool>(app, "--fov-shift", "move the image by the readouts' position (default none)",
                   prepare.apply_fov_shift, {{"none", false}, {"apply", true}})
      ->group(trajectory);
  app.add_flag("--conjugate", prepare.conjugate, "use the conjugate of the samples (mirrored images)")
      ->group(trajectory);

  add_selection_options(app, options.group, prepare);
  add_machine_options(app, options.machine);
}

void add_density_option(CLI::App& app, ScanOptions& options, const std::string& help) {
  add_parsed(app, "--density", "pipe|analytic|voronoi|none|FILE", help, [&options](const std::string& text) {
    if (text == "pipe") {
      options.reconstruct.density = DensityKind::pipe;
    } else if (text == "analytic") {
      options.reconstruct.density = DensityKind::analytic;
    } else if (text == "voronoi") {
      options.reconstruct.density = DensityKind::voronoi;
    } else if (text == "none") {
      options.reconstruct.density = DensityKind::none;
    } else if (text.find('.') != std::string::npos || text.find('/') != std::string::npos) {
      options.reconstruct.density = DensityKind::given;
      options.density_file = text;
    } else {
      throw usage_error(
          "--density '{}' is not known: expected pipe, analytic, voronoi, none or a file such as w.npy",
          text);
    }
  })->group("Model");
}

void add_coil_options(CLI::App& app, ScanOptions& options) {
  const std::string group = "Coils";
  ReconstructOptions& reconstruct = options.reconstruct;
  add_parsed(app, "--calibrate", "espirit|walsh|nlinv|none",
             "how coil maps are estimated from the data (default espirit)",
             [&reconstruct](const std::string& text) {
               if (text == "espirit") {
                 reconstruct.calibration = Calibration::espirit;
               } else if (text == "walsh") {
                 reconstruct.calibration = Calibration::walsh;
               } else if (text == "nlinv") {
                 reconstruct.calibration = Calibration::nlinv;
               } else if (text == "none") {
                 reconstruct.calibration = Calibration::none;
               } else {
                 throw usage_error("--calibrate '{}' is not known: expected one of espirit|walsh|nlinv|none",
                                   text);
               }
             })
      ->group(group);
  add_count(app, "--sets", "coil map sets, each with an image of its own (soft SENSE)", reconstruct.map_sets,
            1, 16)
      ->group(group);
  add_parsed(app, "--coils", "N", "compress to N virtual coils (default: keep all)",
             [&reconstruct](const std::string& text) {
               reconstruct.prepare.virtual_coils = parse_count("--coils", text, 1, 65535);
             })
      ->group(group);
  add_choice<bool>(app, "--compression",
                   "of --coils: the same for all samples, or slice by slice of a stack (default svd)",
                   reconstruct.geometric_compression, {{"svd", false}, {"geometric", true}})
      ->group(group);
  app.add_flag_callback(
         "--no-whiten", [&reconstruct] { reconstruct.prepare.whiten = false; },
         "leave the channels' noise as it is, although the file has noise readouts")
      ->group(group);
}

void require_one_of(const std::vector<CLI::Option*>& options) {
  const CLI::Option* first = nullptr;
  for (const CLI::Option* option : options) {
    if (option->count() == 0) continue;
    if (first) throw usage_error("{} and {} exclude each other", first->get_name(), option->get_name());
    first = option;
  }
}

void add_physics_options(CLI::App& app, ScanOptions& options) {
  const std::string group = "Physics and series";
  add_text(app, "--field-map", "FILE", "off-resonance in Hz [(slices,) (z,) y, x], of the image's grid",
           options.field_map_file)
      ->group(group);
  add_text(app, "--r2star", "FILE", "decay during the readout in 1/s, beside a field map of the same shape",
           options.decay_file)
      ->group(group);
  add_text(app, "--field-weight", "FILE",
           "where the field map has to be looked at: 0 outside of the object, of its shape",
           options.field_weight_file)
      ->group(group);
  add_parsed(app, "--window", "N[,STEP]",
             "series: frames of N successive readouts, each STEP after the last (default N)",
             [&options](const std::string& text) { options.reconstruct.window = parse_frame_window(text); })
      ->group(group);
  add_text(app, "--bins", "FILE",
           "series: bin of every imaging readout, [readouts] or [readouts, axes], from 0; -1: unused",
           options.bins_file)
      ->group(group);
  add_text(app, "--basis", "FILE",
           "subspace [frames, coefficients]: solve for coefficient images of the frames, which are windows, "
           "bins or the images of a slice",
           options.basis_file)
      ->group(group);
  add_text(app, "--dictionary", "FILE",
           "subspace of simulated time courses [entries, frames]: their leading singular vectors",
           options.dictionary_file)
      ->group(group);
  add_count(app, "--coefficients", "how many singular vectors of the dictionary", options.coefficients, 1, 64)
      ->group(group);
}

void check_physics_options(CLI::App& app) {
  require_one_of({app.get_option("--window"), app.get_option("--bins")});
  require_one_of({app.get_option("--basis"), app.get_option("--dictionary")});
  for (const auto& [name, needed] :
       {std::pair("--r2star", "--field-map"), std::pair("--field-weight", "--field-map"),
        std::pair("--coefficients", "--dictionary"), std::pair("--dictionary", "--coefficients")})
    if (app.get_option(name)->count() > 0 && app.get_option(needed)->count() == 0)
      throw usage_error("{} needs {}", name, needed);
}

GivenArrays read_given_arrays(ScanOptions& options) {
  GivenArrays given;
  PrepareOptions& prepare = options.reconstruct.prepare;
  if (!options.trajectory_file.empty()) {
    given.trajectory = read_array<double>(options.trajectory_file);
    prepare.trajectory = given.trajectory.view();
  }
  if (!options.response_file.empty()) {
    given.response = converted<std::complex<double>>(read_array(options.response_file).view());
    prepare.gradient_response = given.response.view();
  }
  if (!options.density_file.empty()) {
    given.weights = read_array<double>(options.density_file);
    prepare.weights = given.weights.view();
  }
  if (!options.maps_file.empty()) {
    given.maps = read_array(options.maps_file);
    options.reconstruct.maps = given.maps.view();
  }
  if (!options.field_map_file.empty()) {
    given.field_map = converted<float>(read_array<double>(options.field_map_file).view());
    options.reconstruct.field_map = given.field_map.view();
  }
  if (!options.decay_file.empty()) {
    given.field_decay = converted<float>(read_array<double>(options.decay_file).view());
    options.reconstruct.field_decay = given.field_decay.view();
  }
  if (!options.field_weight_file.empty()) {
    given.field_weight = converted<float>(read_array<double>(options.field_weight_file).view());
    options.reconstruct.field_weight = given.field_weight.view();
  }
  if (!options.bins_file.empty()) {
    given.bins = read_array<double>(options.bins_file);
    options.reconstruct.bins = given.bins.view();
  }
  if (!options.basis_file.empty()) {
    given.basis = converted<std::complex<double>>(read_array(options.basis_file).view());
    options.reconstruct.basis = given.basis.view();
  }
  if (!options.dictionary_file.empty()) {
    const auto dictionary = converted<std::complex<double>>(read_array(options.dictionary_file).view());
    given.basis = subspace_from_dictionary(dictionary, options.coefficients).vectors;
    options.reconstruct.basis = given.basis.view();
  }
  std::vector<GivenPrior>& priors = options.reconstruct.priors;
  for (const RegularizerSpec& spec : options.reconstruct.regularizers)
    for (const auto& [key, value] : spec.parameters)
      if (key == "prior") priors.push_back({value, given.priors.emplace_back(read_array(value)).view()});
  return given;
}

Scan read_scan(const ScanOptions& options, Machine& machine) {
  Scan scan = read_ismrmrd(options.scan, {.group = options.group,
                                          .memory_limit = machine.ctx.memory_limit(),
                                          .external_trajectory = !options.trajectory_file.empty(),
                                          .cancel = machine.cancel});
  for (const std::string& warning : scan.warnings) machine.console->warning(warning);
  return scan;
}

}  // namespace larmor::app
