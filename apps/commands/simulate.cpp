#include <larmor/apps/commands/simulate.hpp>
#include <larmor/apps/machine/machine.hpp>
#include <larmor/apps/output/outputs.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/given_numbers.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/writer.hpp>
#include <larmor/io/ismrmrd/xml.hpp>
#include <larmor/io/maps_file.hpp>
#include <larmor/mri/calibration/place_maps.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/options/reconstruction/dictionary.hpp>
#include <larmor/options/words/values.hpp>

#include <limits>
#include <memory>

namespace larmor::app {
namespace {

struct SimulateOptions {
  std::string output, truth, maps, field_map, signal_file;
  std::vector<Index> matrix{128};
  std::vector<double> fov;
  SimulationOptions simulation;
  bool overwrite = false;
  MachineOptions machine;
};

/// One number means a square, or a cube where the trajectory is three-dimensional.
void complete_sizes(SimulateOptions& options) {
  SimulationOptions& simulation = options.simulation;
  const bool volume = simulation.trajectory == SimulatedTrajectory::kooshball ||
                      simulation.trajectory == SimulatedTrajectory::stack_of_stars ||
                      simulation.trajectory == SimulatedTrajectory::rotated_stack_of_stars;
  const std::vector<Index>& matrix = options.matrix;
  const Index x = matrix[0], y = matrix.size() > 1 ? matrix[1] : x;
  const Index z = matrix.size() > 2 ? matrix[2] : volume && matrix.size() == 1 ? x : 1;
  simulation.matrix = {x, y, z};
  for (std::size_t axis = 0; axis < options.fov.size(); ++axis) simulation.fov_mm[axis] = options.fov[axis];
  if (options.fov.size() == 1) simulation.fov_mm[1] = options.fov[0];
}

/// Upper bound of the bytes of samples, trajectory, truth and maps if the library chooses the number of
/// readouts.
void require_memory(const SimulationOptions& simulation, const Context& ctx) {
  const auto [x, y, z] = simulation.matrix;
  const double pixels = static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(z);
  const double samples = simulation.readouts > 0
                             ? static_cast<double>(simulation.readouts) *
                                   static_cast<double>(simulation.samples > 0 ? simulation.samples : 2 * x)
                             : 2 * pixels;
  const double bytes = (pixels + samples) * (static_cast<double>(simulation.coils) + 3) *
                       sizeof(std::complex<double>) *
                       (std::max(1.0, static_cast<double>(simulation.echo_times_ms.size())) +
                        static_cast<double>(2 * simulation.bands - 2));
  if (bytes > static_cast<double>(ctx.memory_limit()))
    throw resource_error(
        "not enough memory: the simulation needs about {:.3g} GB, {} are allowed; use a smaller --matrix",
        bytes * 1e-9, format_bytes(ctx.memory_limit()));
}

Simulation simulated(const SimulationOptions& options, Context& ctx) {
  Simulation simulation = simulate_scan(options, ctx);
  simulation.scan.xml_header =
      make_ismrmrd_xml(simulation.scan, static_cast<int>(options.coils), {.te = options.echo_times_ms});
  return simulation;
}

void simulate(SimulateOptions& options, const Session& session) {
  const Stopwatch watch;
  Machine machine(options.machine, session);
  std::vector<Target> targets{{options.output, Content::scan}};
  if (!options.truth.empty()) targets.push_back({options.truth, Content::array});
  if (!options.maps.empty()) targets.push_back({options.maps, Content::maps});
  if (!options.field_map.empty()) targets.push_back({options.field_map, Content::images});
  check_targets(targets, options.overwrite, all_inputs({options.signal_file}, session));
  complete_sizes(options);
  machine.take_device();
  require_memory(options.simulation, machine.ctx);

  options.simulation.maps = !options.maps.empty();
  const Simulation simulation = simulated(options.simulation, machine.ctx);
  machine.ctx.throw_if_cancelled();
  PrepareOptions prepare;
  if (options.simulation.bands > 1)
    prepare.bands.caipi = options.simulation.caipi != 0 ? options.simulation.caipi
                                                        : static_cast<double>(options.simulation.bands);
  Context host = machine.ctx.host();
  const ScanPlan plan = plan_scan(simulation.scan, prepare, &host);  // refuses what nobody could reconstruct
  write_ismrmrd_raw(options.output, simulation.scan, options.overwrite);
  if (!options.truth.empty()) write_array(options.truth, simulation.truth.view(), options.overwrite);
  if (!options.field_map.empty()) {
    ImageSeries series{{}, ImageKind::real, simulation.scan.xml_header};
    Image& map = series.images.emplace_back();
    map.geometry = slice_geometry(plan, plan.grids.recon).front();
    const auto& [x, y, z] = map.geometry.matrix;
    map.pixels = converted<std::complex<float>>(simulation.field.view().reshaped({z, y, x}));
    write_images(options.field_map, series, {.overwrite = options.overwrite});
  }
  if (!options.maps.empty()) {
    write_coil_maps(options.maps, simulation.maps, slice_geometry(plan, plan.grids.recon), 1,
                    options.overwrite);
  }
  machine.console->say(fmt::format("{}: {} readouts, {} coils, image {} in {:.2f} s", options.output,
                                   simulation.scan.readouts.size(), options.simulation.coils,
                                   simulation.truth.shape().to_string(), watch.seconds()));
  std::vector<std::string> outputs;
  for (const Target& target : targets) outputs.push_back(target.path);
  machine.print_result(session, outputs);
}

void add_physics(Command& command, SimulateOptions& options) {
  SimulationOptions& simulation = options.simulation;
  command.number("--partial-fourier", "F",
                 "sampled fraction of k-space, 0.5 to 1: the last samples of each spoke (half echoes), or "
                 "the last lines of a Cartesian scan",
                 simulation.partial_fourier, 0.5, 1);
  command.number("--phase", "X", "amplitude of a smooth phase of the object in radians", simulation.phase,
                 -10, 10);
  command.number("--field", "HZ",
                 "amplitude in Hz of a smooth off-resonance of the object, which acts during readouts and "
                 "until the echo times",
                 simulation.field_hz, -1e4, 1e4);
  command.count("--bands", "number of slices excited together, in the three-dimensional object",
                simulation.bands, 1, 64);
  command.value("--caipi", "N",
                "phase of the bands: each is displaced by 1/N of the field of view relative to the previous "
                "one (default: N of --bands)",
                [&simulation](const std::string& text) { simulation.caipi = number_in(text, -64, 64); });
  command.flag("--references", "also measure each band alone, as calibration readouts",
               [&simulation] { simulation.references = true; });
  command.value("--echo-times", "MS[,MS...]",
                "simulate one contrast for each of these echo times (default: one, at 0)",
                [&simulation](const std::string& text) { simulation.echo_times_ms = echo_times_of(text); });
  command.value("--signal", "MODEL",
                "simulate tubes with known T1 and T2 in the frames of a sequence, one contrast each: " +
                    signal_models_help(),
                [&simulation, &file = options.signal_file](const std::string& text) {
                  file = file_of_signals(text);
                  simulation.signal = signal_model_of(text);
                  if (!simulation.signal) throw usage_error("expected {}", signal_models_help());
                  simulation.object = SimulatedObject::tubes;
                });
}

void add_distortions(Command& command, SimulationOptions& simulation) {
  command.value("--chest", "BEATS,BREATHS",
                "simulate a chest with this many heart beats and breaths per minute; readouts are 5 ms apart",
                [&simulation](const std::string& text) {
                  const auto parts = split(text, ',');
                  if (parts.size() != 2) throw usage_error("expected two rates, such as 66,15");
                  simulation.chest = {number_in(parts[0], 0, 300), number_in(parts[1], 0, 100)};
                  simulation.object = SimulatedObject::chest;
                });
  command.value("--motion", "FILE", "rigid motion of the object, [shots, 6], as for recon run",
                [&simulation](const std::string& text) {
                  simulation.motion = read_array<double>(text);
                  require_representable<double>("motion", simulation.motion);
                });
  command.value("--gradient-response", "FILE", "response of the gradients, as for recon run",
                [&simulation](const std::string& text) {
                  simulation.gradient_response = converted<std::complex<double>>(read_array(text).view());
                });
  command.value(
      "--echo-train", "RADIANS,SHIFT",
      "alternate the direction of Cartesian lines (EPI), with navigators; eddy currents change the phase of "
      "reversed lines by RADIANS, and displace them by SHIFT cycles per field of view",
      [&simulation](const std::string& text) {
        const auto parts = split(text, ',');
        if (parts.size() != 2) throw usage_error("expected two numbers, such as 0.6,0.4");
        simulation.echo_train = {number_in(parts[0], -10, 10), number_in(parts[1], -10, 10)};
      });
  command.number("--noise", "X", "noise in one coil's image, relative to the largest value of the object",
                 simulation.noise, 0, 1e6);
  command.value("--seed", "N", "seed of the noise (default 1)", [&simulation](const std::string& text) {
    simulation.seed = static_cast<std::uint64_t>(count_in(text, 0, std::numeric_limits<Index>::max()));
  });
}

}  // namespace

Command simulate_command() {
  Command command("simulate", "Simulate a scan of a head phantom",
                  "Example:\n"
                  "  recon simulate scan.h5 --trajectory radial --matrix 224 --spokes 144 --truth truth.npy");
  const auto options = std::make_shared<SimulateOptions>();
  SimulationOptions& simulation = options->simulation;
  command.word("OUT", "ISMRMRD file to write (.h5)", options->output).required = true;
  command.choice<SimulatedTrajectory>(
      "--trajectory", "kind of trajectory", simulation.trajectory,
      {{"radial", SimulatedTrajectory::radial},
       {"spiral", SimulatedTrajectory::spiral},
       {"kooshball", SimulatedTrajectory::kooshball},
       {"stack-of-stars", SimulatedTrajectory::stack_of_stars},
       {"rotated-stack-of-stars", SimulatedTrajectory::rotated_stack_of_stars},
       {"cartesian", SimulatedTrajectory::cartesian}});
  command.choice<SimulatedObject>("--object", "object to scan", simulation.object,
                                  {{"head", SimulatedObject::head},
                                   {"texture", SimulatedObject::texture},
                                   {"smooth", SimulatedObject::smooth},
                                   {"phases", SimulatedObject::phases},
                                   {"tubes", SimulatedObject::tubes},
                                   {"chest", SimulatedObject::chest}});
  command.value("--matrix", "N[,N[,N]]", "image matrix x,y,z (default 128)",
                [options](const std::string& text) { options->matrix = matrix_of(text); });
  command.value("--fov", "MM[,MM[,MM]]", "field of view x,y,z in mm (default 240 in plane)",
                [options](const std::string& text) { options->fov = lengths_of(text); });
  command.count("--coils", "receiver coils", simulation.coils, 1, 1024);
  command.value(
      "--readouts,--spokes,--interleaves", "N",
      "number of spokes (in each partition of a stack) or interleaves (default: full sampling, 16 "
      "interleaves)",
      [&simulation](const std::string& text) { simulation.readouts = count_in(text, 1, 10000000); });
  command.value("--samples", "N",
                "samples per spoke (default: twice the matrix size; for a kooshball, the matrix size)",
                [&simulation](const std::string& text) { simulation.samples = count_in(text, 1, 65535); });
  command.choice<SpokeOrder>("--order", "angles of the spokes", simulation.order,
                             {{"golden", SpokeOrder::golden},
                              {"tiny-golden", SpokeOrder::tiny_golden},
                              {"uniform", SpokeOrder::uniform}});
  add_physics(command, *options);
  add_distortions(command, simulation);
  command.text(
      "--truth", "FILE",
      "also write the true image [(frames or bands,) (z,) y, x] (" + extensions_for(FormatUse::array) + ")",
      options->truth);
  command.text("--maps", "FILE",
               "also write the true coil maps [(bands,) coils, (z,) y, x] (formats of recon maps)",
               options->maps);
  command.text("--field-map", "FILE", "also write the true off-resonance in Hz (formats of recon fieldmap)",
               options->field_map);
  command.flag("-f,--overwrite", "replace outputs that exist", options->overwrite);
  add_result_option(command, options->machine);
  add_machine_options(command, options->machine);
  command.action = [options](const Session& session) { simulate(*options, session); };
  return command;
}

}  // namespace larmor::app
