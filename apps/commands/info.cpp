#include <larmor/apps/commands/info.hpp>
#include <larmor/apps/machine/read_scan.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/mri/reconstruct/options/rules.hpp>
#include <larmor/mri/reconstruct/steps/memory.hpp>
#include <larmor/mri/reconstruct/steps/select.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>

namespace larmor::app {
namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  ScanOptions scan;
  bool json = false;
};

/// Smallest and largest value over the readouts.
struct Span {
  Index low = 0, high = 0;
  bool seen = false;
  void add(Index value) {
    low = seen ? std::min(low, value) : value;
    high = seen ? std::max(high, value) : value;
    seen = true;
  }
  std::string text() const {
    return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
  }
  Json json() const { return {low, high}; }
};

/// Contents of the file, before any decision.
struct Contents {
  explicit Contents(const Scan& scan) {
    for (const Readout& readout : scan.readouts) {
      channels.add(readout.header.active_channels);
      samples.add(readout.header.samples);
      trajectory_dimensions.add(readout.header.trajectory_dimensions);
      segments.insert(readout.header.segment);
      if (readout.header.has(AcquisitionFlag::noise)) ++noise_readouts;
      images.insert(readout.header.counters);
    }
  }
  Span channels, samples, trajectory_dimensions;
  std::set<ImageCounters> images;
  std::set<std::uint16_t> segments;
  Index noise_readouts = 0;
};

std::string text(const std::array<Index, 3>& v) {
  return fmt::format("{} x {} x {}", v[0], v[1], v[2]);
}
std::string text(const Vec3& v) {
  return fmt::format("{:g} x {:g} x {:g}", v[0], v[1], v[2]);
}
std::string text(const Grid& g) {
  return fmt::format("{} pixels, {} mm", text(g.matrix), text(g.fov_mm));
}
Json json(const Grid& g) {
  return {{"matrix", g.matrix}, {"fov_mm", g.fov_mm}};
}

Json json(const Encoding& e) {
  Json out = {{"trajectory", e.trajectory},
              {"encoded", {{"matrix", e.encoded_matrix}, {"fov_mm", e.encoded_fov_mm}}}};
  out["recon"] = e.has_recon_space ? Json{{"matrix", e.recon_matrix}, {"fov_mm", e.recon_fov_mm}} : Json();
  return out;
}

Json file_json(const Scan& scan) {
  const Contents contents(scan);
  Json encodings = Json::array();
  for (const Encoding& encoding : scan.encodings) encodings.push_back(json(encoding));
  return {{"path", scan.source},
          {"readouts", scan.readouts.size()},
          {"noise_readouts", contents.noise_readouts},
          {"channels", contents.channels.json()},
          {"samples_per_readout", contents.samples.json()},
          {"trajectory_dimensions", contents.trajectory_dimensions.json()},
          {"segments", contents.segments.size()},
          {"encodings", encodings},
          {"patient_position", scan.patient_position},
          {"data_bytes", scan.data.size() * sizeof(scan.data[0]) + scan.trajectory.size() * sizeof(float)}};
}

// Null if images would be reconstructed one by one.
Json series_json(const ReconstructionPreview& preview) {
  if (preview.series.frames == 0) return Json();
  return {{"series", preview.problems},
          {"frames", preview.series.frames},
          {"coefficients", preview.series.coefficients},
          {"unused_readouts", preview.series.unused}};
}

Json plan_json(const ScanPlan& plan, const ReconstructionPreview& preview) {
  const MemoryPlan& memory = preview.memory;
  Json images = Json::array();
  for (const PlannedImage& image : plan.images) {
    const ImageCounters& c = image.counters;
    images.push_back({{"slice", c.slice},
                      {"contrast", c.contrast},
                      {"phase", c.phase},
                      {"repetition", c.repetition},
                      {"set", c.set},
                      {"readouts", image.readouts.size()},
                      {"samples", image.samples},
                      {"samples_dropped", image.dropped}});
  }
  Json items = Json::object();
  for (const auto& item : memory.items()) items[item.name] = item.bytes;
  return {{"images", images},
          {"dimensions", plan.dims},
          {"channels", plan.channels},
          {"encoded", json(plan.grids.encoded)},
          {"recon", json(plan.grids.recon)},
          {"solve", json(plan.grids.solve)},
          {"trajectory",
           {{"units", to_string(plan.units.units)},
            {"decision", plan.units.text},
            {"layout", plan.layout.text},
            {"largest", plan.units.largest},
            {"distinct", plan.coordinates->distinct()}}},
          {"imaging_readouts", plan.imaging.size()},
          {"noise_readouts", plan.noise_readouts.size()},
          {"series", series_json(preview)},
          {"memory_bytes", memory.total()},
          {"memory_items", items}};
}

/// A line of a table.
std::string row(const std::string& name, const std::string& value) {
  return fmt::format("{:<32}{}", name, value);
}

std::vector<std::string> file_rows(const Scan& scan) {
  const Contents contents(scan);
  std::vector<std::string> rows{
      row("readouts", fmt::format("{} ({} noise)", scan.readouts.size(), contents.noise_readouts)),
      row("channels", contents.channels.text()), row("samples per readout", contents.samples.text()),
      row("trajectory columns", contents.trajectory_dimensions.text())};
  for (std::size_t i = 0; i < scan.encodings.size(); ++i) {
    const Encoding& encoding = scan.encodings[i];
    const std::string number = scan.encodings.size() > 1 ? fmt::format(" {}", i) : "";
    rows.push_back(
        row("encoding" + number, encoding.trajectory.empty() ? "no trajectory named" : encoding.trajectory));
    rows.push_back(row("  encoded space", text(Grid{encoding.encoded_matrix, encoding.encoded_fov_mm})));
    rows.push_back(row("  recon space", encoding.has_recon_space
                                            ? text(Grid{encoding.recon_matrix, encoding.recon_fov_mm})
                                            : "not given"));
  }
  return rows;
}

std::vector<std::string> plan_rows(const ScanPlan& plan, const ReconstructionPreview& preview,
                                   std::size_t memory_limit) {
  const MemoryPlan& memory = preview.memory;
  std::vector<std::string> rows{
      row("images", fmt::format("{} of {}", plan.images.size(), text(plan.grids.recon)))};
  if (const SeriesSummary& series = preview.series; series.frames > 0) {
    rows.push_back(row("series", fmt::format("{}, solved for one after the other", preview.problems)));
    rows.push_back(row("  frames", fmt::format("{}", series.frames)));
    if (series.coefficients > 0)
      rows.push_back(row("  coefficients", fmt::format("{}", series.coefficients)));
    if (series.unused > 0) rows.push_back(row("  readouts of no frame", fmt::format("{}", series.unused)));
  }
  rows.push_back(
      row("readouts", fmt::format("{} imaging, {} noise", plan.imaging.size(), plan.noise_readouts.size())));
  rows.push_back(row("samples", fmt::format("{}, {} of them beyond the grid", plan.total_samples(),
                                            plan.dropped_samples())));
  rows.push_back(
      row("memory", fmt::format("{} of {}", format_bytes(memory.total()), format_bytes(memory_limit))));
  for (const auto& item : memory.items()) rows.push_back(row("  " + item.name, format_bytes(item.bytes)));
  return rows;
}

std::vector<std::string> skipped_rows(const Selection& selection) {
  const ScanPlan& plan = selection.plan;
  std::vector<std::string> rows;
  for (const auto& [flag, count] : plan.skipped) {
    const char* const use = flag == "noise"                                  ? ", used for whitening"
                            : flag == "calibration" && selection.calibration ? ", used for the coil maps"
                                                                             : "";
    rows.push_back(row(flag, fmt::format("{} readout(s){}", count, use)));
  }
  if (plan.deselected_readouts > 0)
    rows.push_back(row("not selected", fmt::format("{} readout(s)", plan.deselected_readouts)));
  if (plan.trimmed_samples > 0)
    rows.push_back(row("discard_pre/post", fmt::format("{} sample(s)", plan.trimmed_samples)));
  if (rows.empty()) rows.emplace_back("nothing");
  return rows;
}

void print_table(const Scan& scan, const Selection* selection, const ReconstructionPreview& preview,
                 const std::vector<std::string>& notes, std::size_t memory_limit) {
  std::string out = one_line(scan.source) + "\n" + short_list(file_rows(scan));
  if (selection)
    out += "would be reconstructed\n" + short_list(plan_rows(selection->plan, preview, memory_limit)) +
           "no data of the image\n" + short_list(skipped_rows(*selection)) + "decisions\n" +
           short_list(notes);
  print_out(out);
}

void info(InfoOptions& options, const Session& session) {
  Machine machine(options.scan.machine, session);
  const GivenArrays given = read_given_arrays(options.scan);
  check_rules(options.scan.reconstruct);
  const Scan scan = read_scan(options.scan, machine);
  machine.take_device(workload_of(scan, options.scan.reconstruct));

  // If the scan cannot be reconstructed, what is known of it is printed first; then the command fails with
  // the reason.
  std::optional<Selection> selection;
  std::optional<Error> obstacle;
  ReconstructionPreview preview;
  try {
    const ReconstructOptions& reconstruct = options.scan.reconstruct;
    selection = select_scan(scan, reconstruct, machine.ctx);
    preview = preview_reconstruction(scan, selection->plan, reconstruct, machine.ctx);
  } catch (const Error& error) {
    if (error.error_class() != ErrorClass::input) throw;
    obstacle = error;
  }

  const std::vector<std::string> notes = selection ? machine.console->notes() : std::vector<std::string>{};
  if (options.json) {
    const ScanPlan* const plan = selection ? &selection->plan : nullptr;
    Json out = {{"file", file_json(scan)}};
    out["reconstruction"] = plan ? plan_json(*plan, preview) : Json();
    out["skipped_readouts"] = plan ? Json(plan->skipped) : Json();
    out["deselected_readouts"] = plan ? Json(plan->deselected_readouts) : Json();
    out["notes"] = notes;
    out["warnings"] = machine.console->warnings();
    out["error"] = obstacle ? Json(obstacle->what()) : Json();
    print_out(out.dump(2, ' ', true, Json::error_handler_t::replace) + "\n");
  } else {
    print_table(scan, selection ? &*selection : nullptr, preview, notes, machine.ctx.memory_limit());
  }
  if (obstacle) throw *obstacle;
}

}  // namespace

Command info_command() {
  Command command("info", "Show the contents of a scan and the planned reconstruction",
                  "Example:\n"
                  "  recon info scan.h5");
  const auto options = std::make_shared<InfoOptions>();
  command.flag("--json", "print JSON instead of a table", options->json);
  add_coil_options(command, options->scan);
  add_scan_options(command, options->scan);
  take_trajectory_alone(command, options->scan);
  add_kspace_options(command, options->scan);
  add_physics_options(command, options->scan);
  command.action = [options](const Session& session) { info(*options, session); };
  return command;
}

}  // namespace larmor::app
