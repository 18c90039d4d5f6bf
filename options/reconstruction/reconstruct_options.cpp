#include <larmor/core/format_error.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/mri/reconstruct/options/rules.hpp>
#include <larmor/options/reconstruction/reconstruct_options.hpp>
#include <larmor/options/words/values.hpp>

#include <limits>

namespace larmor::app {

void add_tune_level(Command& command, const std::string& name, TuneOptions& tune) {
  command.choice<TuneLevel>(name,
                            "how to find the fastest Fourier transform. estimate: from a cost model. wisdom: "
                            "from earlier tuning. measure, exhaustive: by timing candidates",
                            tune.level,
                            {{"estimate", TuneLevel::estimate},
                             {"measure", TuneLevel::measure},
                             {"exhaustive", TuneLevel::exhaustive},
                             {"wisdom", TuneLevel::wisdom_only}});
}

void add_iteration_options(Command& command, ReconstructOptions& reconstruct) {
  command.heading("Solver");
  Option& terms =
      command.values("--regularizer", "NAME:LAMBDA[:key=value...]",
                     "regularization term from the list below (repeatable), or none. LAMBDA is a number that "
                     "does not depend on the scale of the data, or auto. Default: l2 with the "
                     "weight, density weights and number of iterations that minimise the expected error",
                     [&reconstruct](const std::string& text) {
                       if (text != "none") reconstruct.solve.regularizers.push_back(parse_regularizer(text));
                     });
  terms.suggested = {"none"};
  for (const RegularizerRow& row : regularizer_table())
    terms.suggested.push_back(std::string(row.name) + (row.takes_lambda ? ":" : ""));
  std::string solvers = "auto|", help = "auto: chosen from the terms and the scan (default). ";
  for (const SolverRow& row : solver_table()) {
    solvers += std::string(row.name) + "|";
    help += fmt::format("{}: {}. ", row.name, row.help);
  }
  solvers += "gridding";
  command.value("--solver", solvers, help + "gridding: one adjoint with density weights",
                [&reconstruct, solvers](const std::string& text) {
                  place_of(text, split(solvers, '|'));
                  reconstruct.solve.gridding = text == "gridding";
                  if (!reconstruct.solve.gridding) reconstruct.solve.solver = parse_solver(text);
                });
  command.value(
      "--iterations", "N",
      "maximum number of iterations (default: 30 for --regularizer none, 200 without --regularizer, "
      "otherwise 400; the last two stop earlier if the image converges)",
      [&reconstruct](const std::string& text) { reconstruct.solve.iterations = count_in(text, 1, 1000000); });
  command.number("--tolerance", "T", "stop when |gradient|/|A'y| falls below T; 0: never",
                 reconstruct.solve.tolerance, 0, 1);
}

void add_transform_options(Command& command, ReconstructOptions& reconstruct) {
  command.choice<NormalOptions::Toeplitz>("--toeplitz", "Toeplitz form of the normal operator",
                                          reconstruct.transform.toeplitz,
                                          {{"auto", NormalOptions::Toeplitz::automatic},
                                           {"on", NormalOptions::Toeplitz::on},
                                           {"off", NormalOptions::Toeplitz::off}});
  command.number("--nufft-tolerance", "T", "relative error of the Fourier transform",
                 reconstruct.transform.tolerance, 1e-15, 0.5);
  command.choice<Precision>(
      "--precision", "arithmetic", reconstruct.solve.precision,
      {{"single", Precision::single_precision}, {"double", Precision::double_precision}});
  add_tune_level(command, "--tune", reconstruct.transform.tune);
}

void add_model_options(Command& command, ScanOptions& options) {
  ReconstructOptions& reconstruct = options.reconstruct;
  add_density_option(
      command, options,
      "none for the regularizers none, l2, positivity and real, otherwise the scan's own weights or pipe");
  add_coil_options(command, options);
  command.text("--maps", "FILE",
               "coil maps [(sets,) coils, (z,) y, x] in the scan's channels (" +
                   extensions_for(FormatUse::maps) + "); resampled if the file gives their position",
               options.maps_file);
  add_calibration_option(command, options);
  command.choice<Combine>(
      "--combine",
      "sense: one image, using the coil maps. rss: root sum of squares. none: one image for each coil",
      reconstruct.coils.combine, {{"sense", Combine::sense}, {"rss", Combine::rss}, {"none", Combine::none}});
  command.choice<PhaseConstraint>(
      "--phase-constraint",
      "on: the image has a smooth phase, which is estimated from the centre of k-space; one half of k-space "
      "then determines the other (partial Fourier, half echoes). auto: on if held-out readouts show that "
      "this "
      "lowers the error",
      reconstruct.phase_constraint,
      {{"off", PhaseConstraint::off}, {"auto", PhaseConstraint::automatic}, {"on", PhaseConstraint::on}});
  command.choice<KspaceFilter>(
      "--filter",
      "k-space filter of the written images, which reduces ringing. hann: falls to 0 at the edge of k-space",
      reconstruct.output.filter, {{"none", KspaceFilter::none}, {"hann", KspaceFilter::hann}});
}

void add_quality_options(Command& command, ReconstructOptions& reconstruct) {
  command.heading("Quality");
  command.value(
      "--replicas", "N",
      "also write OUT-sd, OUT-snr and OUT-g: noise, signal-to-noise and g-factor from N pseudo "
      "replicas",
      [&reconstruct](const std::string& text) { reconstruct.output.replicas = count_in(text, 2, 100000); });
  command.value("--seed", "N", "seed of the replicas' noise (default 1)",
                [&reconstruct](const std::string& text) {
                  reconstruct.output.seed =
                      static_cast<std::uint64_t>(count_in(text, 0, std::numeric_limits<Index>::max()));
                });
}

void add_split_option(Command& command, ReconstructOptions& reconstruct) {
  command.choice<Split>(
      "--split", "what to distribute. auto: images or frames if there are enough of them, otherwise coils",
      reconstruct.ranks.split,
      {{"auto", Split::automatic}, {"frames", Split::frames}, {"coils", Split::coils}});
}

void add_reconstruction_rules(Command& command, ReconstructOptions& reconstruct) {
  command.exclude({"--maps", "--calibrate"});
  command.exclude({"--maps", "--calibration"});
  command.exclude({"--noise", "--no-whiten"});
  command.check([&reconstruct](const Command& given) {
    auto& terms = reconstruct.solve.regularizers;
    // The power of the object and the noise determine the weight of l2 completely.
    const bool found_l2 = terms.size() == 1 && to_string(terms) == "l2:auto";
    reconstruct.solve.automatic =
        (!given.given("--regularizer") || found_l2) && !reconstruct.solve.gridding &&
        (reconstruct.solve.solver == Solver::automatic || reconstruct.solve.solver == Solver::cg);
    if (found_l2 && reconstruct.solve.automatic) terms.clear();
    if (!terms.empty() && static_cast<std::size_t>(given.times_given("--regularizer")) > terms.size())
      throw usage_error("--regularizer none excludes other terms, but {} is given", to_string(terms));
    check_rules(reconstruct);
    for (const char* name : {"--regularizer", "--iterations", "--tolerance"})
      if (reconstruct.solve.gridding && given.given(name))
        throw usage_error("{} has no effect with --solver gridding, which does not iterate", name);
  });
}

}  // namespace larmor::app
