#include <larmor/core/format_error.hpp>
#include <larmor/io/maps_file.hpp>
#include <larmor/options/reconstruction/dictionary.hpp>
#include <larmor/options/reconstruction/scan_options.hpp>
#include <larmor/options/reconstruction/vendor_scan.hpp>
#include <larmor/options/words/values.hpp>

#include <algorithm>
#include <cmath>

namespace larmor::app {

std::vector<std::string> ScanOptions::inputs() const {
  std::vector<std::string> files;
  for (const std::string* file : {&scan, &calibration_file, &noise_file})
    for (std::string& each : files_of_scan(*file)) files.push_back(std::move(each));
  for (const std::string* file :
       {&kspace_file, &trajectory_file, &response_file, &motion_file, &density_file, &maps_file,
        &field_map_file, &decay_file, &field_weight_file, &basis_file, &bins_file, &band_phases_file}) {
    if (!file->empty()) files.push_back(*file);
  }
  if (const std::string signals = file_of_signals(dictionary_file); !signals.empty())
    files.push_back(signals);
  if (const std::string beside = maps_geometry_path(maps_file); !beside.empty()) files.push_back(beside);
  for (const RegularizerSpec& spec : reconstruct.solve.regularizers)
    for (const auto& [key, value] : spec.parameters)
      if (key == "prior") files.push_back(value);
  return files;
}

namespace {

void read_delay(const std::string& text, PrepareOptions& prepare) {
  prepare.estimate_delay = text == "auto";
  if (prepare.estimate_delay) return;
  std::vector<double> values;
  for (const std::string& part : split(text, ',')) values.push_back(number_in(part, -100, 100));
  if (values.size() < 2 || values.size() > 3)
    throw usage_error(
        "expected auto, or delays in samples as x,y, as x,y,xy in slices and stacks or as x,y,z in 3D");
  prepare.delay = {values[0], values[1]};
  prepare.third_delay = values.size() > 2 ? values[2] : 0;
}

void add_band_options(Command& command, ScanOptions& options) {
  BandOptions& bands = options.reconstruct.prepare.bands;
  command.heading("Simultaneous multi-slice");
  command.value("--bands", "N", "number of slices excited together (default: the header's multiband_factor)",
                [&bands](const std::string& text) { bands.count = count_in(text, 1, 64); });
  command.value(
      "--band-phases", "FILE|caipi:N",
      "phase of every band in every imaging readout: radians or complex factors [readouts, bands]; caipi:N: "
      "each band is displaced by 1/N of the field of view along the lines (kspace_encode_step_1), relative "
      "to the previous one (default: Fourier steps along the bands, counted by kspace_encode_step_2)",
      [&options, &bands](const std::string& text) {
        if (!text.starts_with("caipi:")) {
          options.band_phases_file = text;
          return;
        }
        bands.caipi = number_in(text.substr(6), -64, 64);
        if (std::abs(bands.caipi) < 1) throw usage_error("expected caipi:N with N from 1 to 64, or negative");
      });
  command.value("--band-distance", "MM", "between the centres of neighbouring bands (default: the header's)",
                [&bands](const std::string& text) { bands.distance_mm = number_in(text, -1000, 1000); });
}

void add_grid_options(Command& command, GridOptions& grid) {
  command.heading("Grid");
  command.value("--matrix", "N[,N[,N]]", "image matrix x,y,z (default: the file's reconSpace)",
                [&grid](const std::string& text) { grid.matrix = matrix_of(text); });
  command.value("--fov", "MM[,MM[,MM]]", "field of view x,y,z in mm (default: the file's)",
                [&grid](const std::string& text) { grid.fov_mm = lengths_of(text); });
  command.value(
      "--solve-fov", "F",
      "solve on a field of view F times as large, then crop (default: the field of view that was sampled, or "
      "the image's if spokes receive no signal from outside it)",
      [&grid](const std::string& text) { grid.solve_fov = number_in(text, 1, 8); });
}

void add_trajectory_options(Command& command, ScanOptions& options) {
  PrepareOptions& prepare = options.reconstruct.prepare;
  command.heading("Trajectory");
  command.text("--trajectory", "FILE",
               "trajectory [samples, dims] for --kspace, or instead of the scan's own (.npy, .cfl), or a "
               "Pulseq sequence (.seq)",
               options.trajectory_file);
  command.choice<TrajectoryUnits>("--traj-units", "units of the trajectory", prepare.units,
                                  {{"auto", TrajectoryUnits::automatic},
                                   {"normalised", TrajectoryUnits::normalised},
                                   {"cycles/fov", TrajectoryUnits::cycles_per_fov},
                                   {"radians", TrajectoryUnits::radians},
                                   {"1/m", TrajectoryUnits::per_metre},
                                   {"rad/m", TrajectoryUnits::radians_per_metre}});
  command.value("--traj-layout", "COLUMNS",
                "meaning of the trajectory's columns: kx, ky, kz, weight, time, phase or ignore, such as "
                "kx,ky,weight (default: from the number of columns)",
                [&prepare](const std::string& text) {
                  for (const std::string& name : split(text, ','))
                    prepare.columns.push_back(static_cast<TrajectoryColumn>(
                        place_of(name, {"kx", "ky", "kz", "weight", "time", "phase", "ignore"})));
                });
  command.value(
      "--generate", "golden|tiny-golden|uniform|cartesian", "generate the trajectory of a scan that has none",
      [&prepare](const std::string& text) {
        constexpr GeneratedTrajectory choices[] = {
            GeneratedTrajectory::golden, GeneratedTrajectory::tiny_golden, GeneratedTrajectory::uniform,
            GeneratedTrajectory::cartesian};
        prepare.generate = choices[place_of(text, {"golden", "tiny-golden", "uniform", "cartesian"})];
      });
  command.value("--delay", "auto|X,Y[,XY|,Z]",
                "correct gradient delays, in samples, along x and y; a third value is the delay along z if "
                "readouts extend along z, otherwise the xy cross term. auto: estimate the delays from the "
                "consistency of readouts, such as spokes, around the centre of k-space",
                [&prepare](const std::string& text) { read_delay(text, prepare); });
  command.text("--gradient-response", "FILE",
               "correct the trajectory with measured gradient transfer functions [1+axes, frequencies] "
               "(.npy): a row of frequencies in Hz, then a row for each axis",
               options.response_file);
  command.value(
      "--motion", "FILE|auto:SHOTS",
      "correct rigid motion of the object: [shots, 6], translations x, y, z in mm, then rotations about "
      "x, y, z in degrees, of equal numbers of consecutive readouts. auto: estimated from the data, for this "
      "number of shots",
      [&prepare, &options](const std::string& text) {
        const auto words = split(text, ':');
        if (words[0] != "auto")
          options.motion_file = text;
        else if (words.size() == 2)
          prepare.motion_shots = count_in(words[1], 2, 65535);
        else
          throw usage_error("expected the number of shots, such as auto:16");
      });
  command.choice<bool>("--fov-shift", "apply: shift the image by the position in the readouts' headers",
                       prepare.apply_fov_shift, {{"none", false}, {"apply", true}});
  command.flag("--conjugate", "use the conjugate of the samples, for images that come out mirrored",
               prepare.conjugate);
}

void add_selection_options(Command& command, ScanOptions& options) {
  PrepareOptions& prepare = options.reconstruct.prepare;
  command.heading("Selection");
  command.text("--group", "NAME", "HDF5 group to read if the file has several", options.group);
  const auto add_range = [&](const std::string& name, const std::string& what, IndexRange& range) {
    command.value(name, "A:B", "only " + what + " A <= index < B, or one index (default: all)",
                  [&range](const std::string& text) { range = index_range_of(text); });
  };
  add_range("--slice", "slices", prepare.slice);
  add_range("--contrast", "contrasts", prepare.contrast);
  add_range("--cardiac-phase", "cardiac phases", prepare.phase);
  add_range("--repetition", "repetitions", prepare.repetition);
  add_range("--set", "sets", prepare.set);
  command.value("--encoding", "I",
                "encoding of the header to reconstruct (default: the first with imaging data)",
                [&prepare](const std::string& text) { prepare.encoding = count_in(text, 0, 65535); });
}

}  // namespace

void add_scan_options(Command& command, ScanOptions& options) {
  command.word("SCAN", "ISMRMRD file with raw data", options.scan).required = true;
  add_grid_options(command, options.reconstruct.prepare.grid);
  add_trajectory_options(command, options);
  add_selection_options(command, options);
  add_band_options(command, options);
  add_machine_options(command, options.machine);
}

void add_kspace_options(Command& command, ScanOptions& options, bool needed) {
  command.heading("Arrays");
  command.text(
      "--kspace", "FILE",
      "k-space as an array instead of SCAN (.npy, .cfl with BART's dimensions), with --trajectory and "
      "--matrix; Cartesian lines need neither",
      options.kspace_file);
  command.value("--kspace-axes", "NAMES",
                "axes of the k-space array, slowest first: frames, slices, partitions, coils, readouts (or "
                "spokes, or lines of a Cartesian scan), samples, pair (real and imaginary parts) (default: "
                "[frames,] coils, [readouts,] samples)",
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
      "method or file of density weights (default: " + otherwise + ")", [&options](const std::string& text) {
        using enum DensityKind;
        DensityKind& density = options.reconstruct.density;
        for (const DensityKind method : {pipe, analytic, voronoi, none}) {
          density = method;
          if (text == to_string(method)) return;
        }
        if (text.find_first_of("./") == std::string::npos)
          throw usage_error("not known, expected pipe, analytic, voronoi, none or a file such as w.npy");
        density = given;
        options.density_file = text;
      });
}

void add_coil_options(Command& command, ScanOptions& options) {
  ReconstructOptions& reconstruct = options.reconstruct;
  command.heading("Coils");
  command.choice<Calibration>("--calibrate", "method to estimate coil maps from the data",
                              reconstruct.coils.calibration,
                              {{"espirit", Calibration::espirit},
                               {"walsh", Calibration::walsh},
                               {"nlinv", Calibration::nlinv},
                               {"none", Calibration::none}});
  command.choice<CalibrationReadouts>(
      "--calibration-readouts",
      "use of readouts flagged as calibration: for the coil maps only, or also for the image",
      reconstruct.coils.calibration_readouts,
      {{"auto", CalibrationReadouts::automatic},
       {"maps", CalibrationReadouts::maps},
       {"image", CalibrationReadouts::image}});
  command.count("--sets", "number of coil map sets, each with its own image (soft SENSE)",
                reconstruct.coils.sets, 1, 16);
  command.value("--coils", "N", "compress to N virtual coils (default: keep all)",
                [&reconstruct](const std::string& text) {
                  reconstruct.prepare.virtual_coils = count_in(text, 1, 65535);
                });
  command.text("--noise", "FILE", "use the noise readouts of another scan", options.noise_file);
  command.flag("--no-whiten", "do not whiten the channels, even if the file has noise readouts",
               [&reconstruct] { reconstruct.prepare.whiten = false; });
  command.choice<bool>("--readout-phase",
                       "divide each readout by a complex factor. auto: estimated from the consistency of "
                       "readouts, such as spokes, around the centre of k-space",
                       reconstruct.prepare.estimate_factors, {{"off", false}, {"auto", true}});
}

void add_calibration_option(Command& command, ScanOptions& options) {
  command.text(
      "--calibration", "FILE",
      "estimate coil maps from another scan with the same coils; they are resampled if its position differs",
      options.calibration_file);
}

void add_physics_options(Command& command, ScanOptions& options) {
  command.heading("Physics and series");
  command.text("--field-map", "FILE",
               "off-resonance in Hz: an image with its position, or an array [(slices,) (z,) y, x] on the "
               "image's grid",
               options.field_map_file);
  command.text("--r2star", "FILE", "decay during the readout in 1/s, of the same shape as the field map",
               options.decay_file);
  command.text("--field-weight", "FILE",
               "reliability of the field map, of the same shape: 0 outside the object",
               options.field_weight_file);
  command.value(
      "--window", "N[,STEP]",
      "series: frames of N consecutive readouts; a new frame starts every STEP readouts (default N)",
      [&options](const std::string& text) { options.reconstruct.frames.window = frame_window_of(text); });
  command.value(
      "--bins", "FILE|cardiac:N|respiratory:N",
      "series: bin of each imaging readout, [readouts] or [readouts, axes], counted from 0; -1: the "
      "readout is not used. cardiac: equal parts of the heart's cycle, by the physiology time stamps or the "
      "ECG waveform; respiratory: equal numbers of readouts, sorted by the respiration waveform or the "
      "centre "
      "of k-space; both: cardiac:N,respiratory:N",
      [&options](const std::string& text) {
        options.reconstruct.frames.gates = gates_of(text);
        if (options.reconstruct.frames.gates.empty()) options.bins_file = text;
      });
  command.text("--basis", "FILE",
               "temporal subspace [frames, coefficients]: solve for the coefficient images. Frames are "
               "windows, bins or the images of a slice",
               options.basis_file);
  command.text(
      "--dictionary", "MODEL|FILE",
      "derive the subspace from time courses by singular value decomposition: those of a signal model (" +
          signal_models_help() + "), or an array [entries, frames]",
      options.dictionary_file);
  command.value("--coefficients", "N", "number of singular vectors of the dictionary to use",
                [&options](const std::string& text) { options.coefficients = count_in(text, 1, 64); });
  command.exclude({"--window", "--bins"});
  command.exclude({"--basis", "--dictionary"});
  command.require("--r2star", "--field-map");
  command.require("--field-weight", "--field-map");
  command.require("--coefficients", "--dictionary");
  command.require("--dictionary", "--coefficients");
}

}  // namespace larmor::app
