#include <larmor/apps/commands/bench.hpp>
#include <larmor/apps/machine/machine.hpp>
#include <larmor/apps/output/outputs.hpp>
#include <larmor/bench/papers/papers.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>

#include <nlohmann/json.hpp>

#include <ctime>
#include <optional>

namespace larmor::app {
namespace {

using bench::Measurement;
using bench::Size;
using Json = nlohmann::ordered_json;

struct BenchCommand {
  std::string subject = "papers", only, report;
  std::optional<Size> size;
  bool json = false, overwrite = false;
  MachineOptions machine;
};

/// What is measured under one heading.
struct Section {
  std::string name, title, claim, here;
  void (*measure)(Size, const bench::Sink&, Context&);
};

std::vector<Section> sections_of(const BenchCommand& options) {
  if (options.subject == "nufft")
    return {{"nufft", "Non-uniform Fourier transforms", "", "", bench::trajectory_transforms}};
  if (options.subject == "sense")
    return {{"sense", "Normal operators and CG-SENSE", "", "", bench::sense_problems}};
  if (options.subject == "1d") return {{"1d", "Real data on one line", "", "", bench::line_comparisons}};
  std::vector<Section> list;
  std::string names;
  for (const bench::Paper& paper : bench::papers()) {
    names += (names.empty() ? "" : ", ") + paper.name;
    if (options.only.empty() || paper.name == options.only)
      list.push_back({paper.name, paper.title, paper.claim, paper.here, paper.measure});
  }
  if (list.empty()) throw usage_error("--only '{}' is not known: expected one of {}", options.only, names);
  return list;
}

std::string cell(double value, const char* format) {
  return value > 0 ? fmt::format(fmt::runtime(format), value) : "-";
}

std::string table_of(const std::vector<Measurement>& rows) {
  std::size_t problem = 0, method = 0;
  for (const Measurement& row : rows) {
    problem = std::max(problem, row.problem.size());
    method = std::max(method, row.method.size());
  }
  std::string text = fmt::format("  {:<{}}  {:<{}} {:>10} {:>10} {:>9} {:>9} {:>9}\n", "problem", problem,
                                 "method", method, "ms", "set-up ms", "claimed", "error", "from ref.");
  for (const Measurement& row : rows)
    text +=
        fmt::format("  {:<{}}  {:<{}} {:>10.4g} {:>10} {:>9} {:>9} {:>9}  {}\n", row.problem, problem,
                    row.method, method, row.ms, cell(row.setup_ms, "{:.4g}"), cell(row.claimed_ms, "{:.4g}"),
                    cell(row.error, "{:.1e}"), cell(row.difference, "{:.1e}"), row.note);
  return text;
}

Json json_of(const Measurement& row) {
  Json out{{"problem", row.problem}, {"method", row.method}, {"ms", row.ms}};
  if (row.setup_ms > 0) out["setup_ms"] = row.setup_ms;
  if (row.claimed_ms > 0) out["claimed_ms"] = row.claimed_ms;
  if (row.error >= 0) out["error"] = row.error;
  if (row.difference > 0) out["difference_from_reference"] = row.difference;
  if (!row.note.empty()) out["note"] = row.note;
  return out;
}

std::string today() {
  char date[16];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
  return date;
}

void run(BenchCommand& options, const Session& session) {
  if (!options.only.empty() && options.subject != "papers")
    throw usage_error("--only names one of the papers: expected recon bench papers, found recon bench {}",
                      options.subject);
  const auto sections = sections_of(options);
  if (!options.report.empty()) check_targets({{options.report, Content::text}}, options.overwrite, {});
  Machine machine(options.machine, session);
  machine.take_device();
  Context& ctx = machine.ctx;
  const Size size = options.size.value_or(ctx.on_gpu() ? Size::full : Size::normal);
  Json document{{"version", version()},
                {"date", today()},
                {"machine", device_description(ctx)},
                {"size", to_string(size)},
                {"subject", options.subject},
                {"entries", Json::array()}};
  if (!options.json)
    print_out(fmt::format("machine  {}\nsize     {}{}\n", device_description(ctx), to_string(size),
                          size == Size::full ? "" : ": problems are scaled down; --size full for all of it"));
  const Stopwatch watch;
  for (const Section& section : sections) {
    std::vector<Measurement> rows;
    section.measure(
        size,
        [&](const Measurement& row) {
          machine.console->detail(fmt::format("{}: {}: {:.4g} ms", row.problem, row.method, row.ms));
          rows.push_back(row);
        },
        ctx);
    Json entry{{"name", section.name}, {"title", section.title}};
    std::string text = "\n" + section.title + "\n";
    if (!section.claim.empty()) {
      entry["claim"] = section.claim;
      entry["here"] = section.here;
      text += fmt::format("  claim: {}\n  here:  {}\n", section.claim, section.here);
    }
    entry["rows"] = Json::array();
    for (const Measurement& row : rows) entry["rows"].push_back(json_of(row));
    document["entries"].push_back(entry);
    if (!options.json) print_out(text + table_of(rows));
  }
  document["seconds"] = watch.seconds();
  if (!options.report.empty()) write_text(options.report, document.dump(2) + "\n", options.overwrite);
  if (options.json) print_out(document.dump(2) + "\n");
}

}  // namespace

Command bench_command() {
  Command command("bench", "Measure this machine, beside what papers report",
                  "Examples:\n"
                  "  recon bench papers --size quick\n"
                  "  recon bench 1d --report 1d.json\n"
                  "papers: what published systems claim, and the same problems here\n"
                  "1d:     Gaussian gridding of real data on one line\n"
                  "nufft:  transforms of usual size\n"
                  "sense:  reconstructions of usual size");
  const auto options = std::make_shared<BenchCommand>();
  command.word("SUBJECT", "papers|1d|nufft|sense (default papers)", options->subject).take =
      [options](const std::string& text) {
        place_of(text, {"papers", "1d", "nufft", "sense"});
        options->subject = text;
      };
  command.value(
      "--size", "quick|normal|full",
      "how large the problems are: seconds, minutes, or as published (default: normal, full on a GPU)",
      [options](const std::string& text) {
        constexpr Size sizes[] = {Size::quick, Size::normal, Size::full};
        options->size = sizes[place_of(text, {"quick", "normal", "full"})];
      });
  command.text("--only", "NAME", "one of the papers, such as gnufftw", options->only);
  command.text("--report", "FILE", "also write the results as JSON", options->report);
  command.flag("--json", "print JSON instead of tables", options->json);
  command.flag("-f,--overwrite", "replace a report that exists", options->overwrite);
  add_machine_options(command, options->machine);
  command.action = [options](const Session& session) { run(*options, session); };
  return command;
}

}  // namespace larmor::app
