#include <larmor/apps/commands.hpp>
#include <larmor/apps/options.hpp>
#include <larmor/apps/outputs.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/planner.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/writer.hpp>
#include <larmor/mri/simulation/simulate.hpp>

namespace larmor::app {
namespace {

struct SimulateOptions {
  std::string output, truth, maps;
  std::vector<Index> matrix{128};
  std::vector<double> fov;
  SimulationOptions simulation;
  bool overwrite = false;
  MachineOptions machine;
};

void declare(CLI::App& app, SimulateOptions& options) {
  SimulationOptions& simulation = options.simulation;
  app.add_option("OUT", options.output, "ISMRMRD file to write (.h5)")->required()->type_name("");
  add_parsed(app, "--trajectory", "radial|spiral|kooshball|stack-of-stars|rotated-stack-of-stars|cartesian",
             "(default radial)", [&simulation](const std::string& text) {
               simulation.trajectory = parse_simulated_trajectory(text);
             });
  add_parsed(app, "--matrix", "N[,N[,N]]", "image matrix x,y,z (default 128)",
             [&options](const std::string& text) { options.matrix = parse_matrix("--matrix", text); });
  add_parsed(app, "--fov", "MM[,MM[,MM]]", "field of view x,y,z in mm (default 240 in plane)",
             [&options](const std::string& text) { options.fov = parse_lengths("--fov", text); });
  add_count(app, "--coils", "receiver coils", simulation.coils, 1, 1024);
  add_parsed(app, "--readouts,--spokes,--interleaves", "N",
             "spokes (of each partition of a stack) or interleaves (default: fully sampled, 16 interleaves)",
             [&simulation](const std::string& text) {
               simulation.readouts = parse_count("--readouts", text, 1, 10000000);
             });
  add_parsed(app, "--samples", "N",
             "samples of a spoke (default: twice the matrix, the matrix for a kooshball)",
             [&simulation](const std::string& text) {
               simulation.samples = parse_count("--samples", text, 1, 65535);
             });
  add_choice<SpokeOrder>(app, "--order", "angles of the spokes (default golden)", simulation.order,
                         {{"golden", SpokeOrder::golden},
                          {"tiny-golden", SpokeOrder::tiny_golden},
                          {"uniform", SpokeOrder::uniform}});
  add_number(app, "--noise", "noise in one coil's image, relative to the largest value of the object",
             simulation.noise, 0, 1e6);
  add_parsed(app, "--seed", "N", "of the noise (default 1)", [&simulation](const std::string& text) {
    simulation.seed =
        static_cast<std::uint64_t>(parse_count("--seed", text, 0, std::numeric_limits<Index>::max()));
  });
  add_text(app, "--truth", "FILE", "also write the true image [(z,)y,x] (.npy, .cfl)", options.truth);
  add_text(app, "--maps", "FILE", "also write the true coil maps [coils,(z,)y,x] (.npy, .cfl)", options.maps);
  app.add_flag("--overwrite", options.overwrite, "replace outputs that exist");
  add_machine_options(app, options.machine);
}

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

/// Bytes of samples, trajectory, truth and maps, from above where the library chooses the number of readouts.
void require_memory(const SimulationOptions& simulation, const Context& ctx) {
  const auto [x, y, z] = simulation.matrix;
  const double pixels = static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(z);
  const double samples = simulation.readouts > 0
                             ? static_cast<double>(simulation.readouts) *
                                   static_cast<double>(simulation.samples > 0 ? simulation.samples : 2 * x)
                             : 2 * pixels;
  const double bytes =
      (pixels + samples) * (static_cast<double>(simulation.coils) + 3) * sizeof(std::complex<double>);
  if (bytes > static_cast<double>(ctx.memory_limit()))
    throw resource_error(
        "not enough memory: the simulation needs about {:.3g} GB, {} are allowed; use a smaller --matrix",
        bytes * 1e-9, format_bytes(ctx.memory_limit()));
}

void simulate(SimulateOptions& options, const Session& session) {
  const Stopwatch watch;
  Machine machine(options.machine, session);
  std::vector<Target> targets{{options.output, Content::scan}};
  if (!options.truth.empty()) targets.push_back({options.truth, Content::array});
  if (!options.maps.empty()) targets.push_back({options.maps, Content::array});
  check_targets(targets, options.overwrite, {});
  complete_sizes(options);
  require_memory(options.simulation, machine.ctx);

  const Simulation simulation = simulate_scan(options.simulation, machine.ctx);
  machine.ctx.throw_if_cancelled();
  write_ismrmrd_raw(options.output, simulation.scan, options.overwrite);
  if (!options.truth.empty()) write_array(options.truth, simulation.truth.view(), options.overwrite);
  if (!options.maps.empty()) write_array(options.maps, simulation.maps.view(), options.overwrite);
  machine.console->note(fmt::format("{}: {} readouts, {} coils, image {} in {:.2f} s", options.output,
                                    simulation.scan.readouts.size(), options.simulation.coils,
                                    simulation.truth.shape().to_string(), watch.seconds()));
}

}  // namespace

void add_simulate(CLI::App& recon, Session& session) {
  CLI::App* command = recon.add_subcommand("simulate", "Simulate a scan of a head phantom");
  command->footer(
      "Example: recon simulate scan.h5 --trajectory radial --matrix 224 --spokes 144 --truth truth.npy");
  auto options = std::make_shared<SimulateOptions>();
  declare(*command, *options);
  command->callback(
      [options, &session] { session.action = [options, &session] { simulate(*options, session); }; });
}

}  // namespace larmor::app
