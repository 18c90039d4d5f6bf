#include <larmor/bench/papers/papers.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>
#include <larmor/options/stopwatch.hpp>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <ctime>
#include <map>
#include <optional>

namespace larmor::bench {
namespace {

using Json = nlohmann::ordered_json;

struct Settings {
  std::string subject = "papers", only, device = "cpu";
  std::optional<Size> size;
  int threads = 0;
  bool json = false;
};

/// Measurements under one heading.
struct Section {
  std::string name, title, claim, here;
  void (*measure)(Size, const bench::Sink&, Context&);
};

std::vector<Section> sections_of(const Settings& options) {
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

void run(const Settings& options) {
  if (!options.only.empty() && options.subject != "papers")
    throw usage_error("--only names one of the papers: expected larmor-bench papers, found larmor-bench {}",
                      options.subject);
  const auto sections = sections_of(options);
  Context ctx(Device::parse(options.device), {.threads = options.threads});
  const Size size = options.size.value_or(ctx.on_gpu() ? Size::full : Size::normal);
  Json document{{"version", version()},
                {"date", today()},
                {"machine", device_description(ctx)},
                {"size", to_string(size)},
                {"subject", options.subject},
                {"entries", Json::array()}};
  if (!options.json)
    fmt::print("machine  {}\nsize     {}{}\n", device_description(ctx), to_string(size),
               size == Size::full ? "" : ": problems are scaled down; --size full for all of it");
  const app::Stopwatch watch;
  for (const Section& section : sections) {
    std::vector<Measurement> rows;
    section.measure(
        size, [&](const Measurement& row) { rows.push_back(row); }, ctx);
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
    if (!options.json) fmt::print("{}{}", text, table_of(rows));
  }
  document["seconds"] = watch.seconds();
  if (options.json) fmt::print("{}\n", document.dump(2));
}

}  // namespace
}  // namespace larmor::bench

int main(int argc, char** argv) {
  using namespace larmor::bench;
  Settings settings;
  CLI::App app(
      "larmor-bench measures this machine, beside what papers report\n"
      "papers: what published systems claim, and the same problems here\n"
      "1d:     Gaussian gridding of real data on one line\n"
      "nufft:  transforms of usual size\n"
      "sense:  reconstructions of usual size");
  app.add_option("SUBJECT", settings.subject, "default papers")
      ->check(CLI::IsMember({"papers", "1d", "nufft", "sense"}));
  const std::map<std::string, Size> sizes{
      {"quick", Size::quick}, {"normal", Size::normal}, {"full", Size::full}};
  app.add_option("--size", settings.size,
                 "seconds, minutes, or as published (default: normal, full on a GPU)")
      ->transform(CLI::CheckedTransformer(sizes));
  app.add_option("--only", settings.only, "one of the papers, such as gnufftw");
  app.add_option("--device", settings.device, "cpu, cuda or cuda:N");
  app.add_option("--threads", settings.threads, "default: all");
  app.add_flag("--json", settings.json, "print JSON instead of tables");
  CLI11_PARSE(app, argc, argv);
  try {
    run(settings);
  } catch (const larmor::Error& error) {
    fmt::print(stderr, "larmor-bench: {}\n", error.what());
    return error.exit_code();
  }
  return 0;
}
