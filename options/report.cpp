#include <larmor/core/memory.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/core/version.hpp>
#include <larmor/options/report.hpp>

#include <nlohmann/json.hpp>

#include <ctime>

namespace larmor::app {
namespace {

using Json = nlohmann::ordered_json;

Json counters(const ImageCounters& c) {
  return {{"slice", c.slice},
          {"contrast", c.contrast},
          {"phase", c.phase},
          {"repetition", c.repetition},
          {"set", c.set}};
}

Json grid(const Grid& g) {
  return {{"matrix", g.matrix}, {"fov_mm", g.fov_mm}};
}

Json iterations(const ImageReport& image) {
  Json steps = Json::array();
  for (const SolverStep& step : image.history)
    steps.push_back(
        {{"iteration", step.iteration}, {"residual", step.gradient}, {"objective", step.objective}});
  return steps;
}

std::string stop_reason(const ImageReport& image) {
  return image.history.empty() ? "one adjoint" : to_string(image.stop_reason);
}

Json images(const Reconstruction& result) {
  Json list = Json::array();
  for (const ImageReport& image : result.report.images) {
    const double norm_squared = image.operator_norm_squared;
    list.push_back({{"counters", counters(image.counters)},
                    {"samples", image.samples},
                    {"samples_dropped", image.dropped},
                    {"kspace_not_sampled", image.not_sampled},
                    {"unexplained", image.unexplained},
                    {"noise", image.noise},
                    {"operator_norm_squared", norm_squared > 0 ? Json(norm_squared) : Json()},
                    {"distance", image.distance},
                    {"phase_constraint_points", image.phase_points > 0 ? Json(image.phase_points) : Json()},
                    {"stop_reason", stop_reason(image)},
                    {"iterations", iterations(image)}});
  }
  return list;
}

Json regularizers(const std::vector<RegularizerSpec>& specs) {
  Json list = Json::array();
  for (const RegularizerSpec& spec : specs) {
    Json term = {{"name", spec.name}, {"lambda", spec.lambda}};
    for (const auto& [key, value] : spec.parameters) term[key] = value;
    list.push_back(std::move(term));
  }
  return list;
}

Json lambda_search(const LambdaChoice& choice) {
  if (choice.criterion == LambdaCriterion::none) return Json();
  Json trials = Json::array();
  for (const LambdaTrial& trial : choice.trials)
    trials.push_back({{"lambda", trial.lambda},
                      {"risk", trial.risk},
                      {"residual", trial.residual},
                      {"freedom", trial.freedom}});
  return {{"rule", to_string(choice.criterion)}, {"enclosed", choice.interior}, {"trials", trials}};
}

Json expectation(const std::optional<Expectation>& found) {
  if (!found) return Json();
  return {{"error", found->error()},
          {"noise_variance", found->noise_variance},
          {"noise_alone", found->noise_alone},
          {"bias", found->expected.transfer.bias},
          {"resolution_pixels", found->expected.transfer.resolution}};
}

/// Rows of [real, imaginary]; null if unknown.
Json covariance(const ChannelPlan& channels) {
  if (channels.covariance.empty()) return {};
  const Index count = channels.covariance.shape()[0];
  Json rows = Json::array();
  for (Index a = 0; a < count; ++a) {
    Json row = Json::array();
    for (Index b = 0; b < count; ++b) {
      const std::complex<double> value = channels.covariance[a * count + b];
      row.push_back({value.real(), value.imag()});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json seconds(const RunFacts& facts, const Reconstruction& result) {
  Json stages = {{"read", facts.read_seconds}, {"start", facts.start_seconds}};
  for (const auto& [stage, time] : result.report.times.seconds) stages[stage] = time;
  for (const char* stage : {"calibrate", "setup", "iterate"}) {
    if (!stages.contains(stage)) stages[stage] = 0;
  }
  stages["write"] = facts.write_seconds;
  stages["total"] = facts.total_seconds;
  return stages;
}

Json series(const SeriesSummary& summary) {
  if (summary.frames == 0 && summary.segments == 0) return Json();
  return {{"frames", summary.frames},
          {"coefficients", summary.coefficients},
          {"unused_readouts", summary.unused},
          {"field_map_segments", summary.segments},
          {"field_map_error", summary.segment_error}};
}

Json memory(const MemoryPlan& plan) {
  Json items = Json::object();
  for (const auto& item : plan.items()) items[item.name] = item.bytes;
  return {{"total", plan.total()}, {"items", items}};
}

Json whitening(const ChannelPlan& channels) {
  return {{"applied", channels.whitened},
          {"estimated", channels.estimated},
          {"covariance", covariance(channels)},
          {"noise_samples", channels.noise_samples},
          {"bandwidth_factor", channels.bandwidth_factor},
          {"outer_variance", channels.outer_variance},
          {"compression_energy", channels.compression_energy}};
}

Json sizes(const ScanPlan& plan, Index coils) {
  return {{"images", plan.images.size()},
          {"dimensions", plan.dims},
          {"channels", plan.channels},
          {"coils", coils},
          {"imaging_readouts", plan.imaging.size()},
          {"samples", plan.total_samples()},
          {"samples_dropped", plan.dropped_samples()},
          {"samples_trimmed", plan.trimmed_samples},
          {"encoded", grid(plan.grids.encoded)},
          {"recon", grid(plan.grids.recon)},
          {"solve", grid(plan.grids.solve)}};
}

/// ISO 8601, in UTC.
std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {text, length};
}

}  // namespace

std::string run_report(const RunFacts& facts, const Reconstruction& result) {
  const ScanPlan& plan = result.selection.plan;
  const ReconstructionReport& report = result.report;
  const bool iterated = !report.images.empty() && !report.images.front().history.empty();
  const double first_lambda =
      report.solution.regularizers.empty() ? 0 : report.solution.regularizers.front().lambda;
  const ImageReport first = report.images.empty() ? ImageReport{} : report.images.front();

  Json json;
  json["version"] = version();
  json["date"] = now();
  json["scan"] = facts.scan.empty() ? Json() : Json(facts.scan);
  json["command"] = facts.command;
  json["device"] = facts.device;
  json["threads"] = facts.threads;
  json["ranks"] = {{"count", report.ranks.count},
                   {"divided", report.ranks.divided.empty() ? Json() : Json(report.ranks.divided)},
                   {"exchange", report.ranks.exchange.empty() ? Json() : Json(report.ranks.exchange)}};
  json["sizes"] = sizes(plan, result.selection.channels.coils);
  json["trajectory"] = {{"units", to_string(plan.units.units)},
                        {"decision", plan.units.text},
                        {"layout", plan.layout.text},
                        {"largest", plan.units.largest}};
  const GradientDelay& delay = plan.reading.delay;
  json["gradient_delay"] = {{"x", delay.x}, {"y", delay.y}, {"xy", delay.xy}, {"z", delay.z}};
  json["skipped_readouts"] = plan.skipped;
  json["deselected_readouts"] = plan.deselected_readouts;
  json["fov_shift"] = plan.reading.apply_fov_shift ? "apply" : "none";
  json["whitening"] = whitening(result.selection.channels);
  // Quadratic problems are solved in the units of the data.
  json["scaling"] = first.scale > 0 ? first.scale : 1;
  json["solver"] = report.solution.solver;
  json["regularizer"] = to_string(report.solution.regularizers);
  json["regularizers"] = regularizers(report.solution.regularizers);
  json["lambda"] = iterated ? Json(first_lambda) : Json();
  json["lambda_effective"] = iterated ? Json(first_lambda * first.operator_norm_squared) : Json();
  json["expected"] = expectation(report.solution.expectation);
  json["lambda_search"] = lambda_search(report.solution.lambda_choice);
  json["step_size"] = first.step_size > 0 ? Json(first.step_size) : Json();
  json["calibration"] = report.calibration;
  json["density"] = report.density;
  json["nufft"] = {{"tolerance_asked", report.transform.tolerance},
                   {"error_measured", report.transform.error_measured},
                   {"oversampling", report.transform.oversampling},
                   {"kernel_width", report.transform.kernel_width}};
  json["toeplitz"] = report.transform.toeplitz;
  json["normal_operator"] = report.transform.normal_operator;
  json["series"] = series(report.series);
  json["images"] = images(result);
  json["stop_reason"] = stop_reason(first);
  json["seconds"] = seconds(facts, result);
  json["memory_plan_bytes"] = memory(report.memory.plan);
  json["coil_block"] = report.memory.coil_block > 0 ? Json(report.memory.coil_block) : Json();
  json["coil_placement"] = report.memory.placement == Placement::host ? "host" : "device";
  json["peak_bytes"] = {{"host", report.memory.peak_resident_bytes}, {"device", nullptr}};
  if (report.memory.peak_device_bytes > 0) json["peak_bytes"]["device"] = report.memory.peak_device_bytes;
  json["outputs"] = facts.outputs;
  json["notes"] = plan.notes;
  json["warnings"] = facts.warnings;
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace larmor::app
