// Transforms of sparse binary matrices: time, memory and error, as JSON.
//     bench_sparse_fft [--device D] [--threads N] [--rows TEXT] [--mtx FILE]... [--repeats N] [--tile N]
//   [--batch N] [--shared N] [--json FILE]
// The three rows represent matrices of the SuiteSparse collection: the same size, density and symmetry,
// generated from a seed. --mtx reads real files.
#include <larmor/bench/random_pattern.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/io/arrays/matrix_market.hpp>
#include <larmor/operators/sparse_fft/sparse_fft.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <numbers>
#include <random>

namespace {

using namespace larmor;

struct Settings {
  std::string device = "auto", rows, json;
  std::vector<std::string> files;
  int repeats = 5, threads = 0;
  Index tile = 0, batch = 0, shared = 0;
  bool kept = false;
};

struct Row {
  std::string name;
  SparsePattern pattern;
  double target_ms = 0, target_gb = 0;  // 0: none
};

double milliseconds_of(const std::function<void()>& call, int repeats, Context& ctx) {
  call();
  ctx.synchronize();
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    call();
    ctx.synchronize();
    times.push_back(1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// The sum over the entries in double, phases reduced exactly.
std::complex<double> exact(const SparsePattern& pattern, Index u, Index v) {
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < pattern.row.size(); ++i) {
    const double cycles =
        static_cast<double>(u * pattern.row[i] % pattern.rows) / static_cast<double>(pattern.rows) +
        static_cast<double>(v * pattern.column[i] % pattern.columns) / static_cast<double>(pattern.columns);
    sum += (pattern.binary() ? 1.0 : pattern.values[i]) * std::polar(1.0, -2 * std::numbers::pi * cycles);
  }
  return sum;
}

/// Rows and columns of the spectrum at which the error is measured.
std::vector<std::pair<Index, Index>> sample_of(const Shape& shape) {
  std::mt19937 generator(1);
  std::vector<std::pair<Index, Index>> places;
  for (int i = 0; i < 100; ++i)
    places.emplace_back(static_cast<Index>(generator()) % shape[0],
                        static_cast<Index>(generator()) % shape[1]);
  return places;
}

nlohmann::json measure(const Row& row, const Settings& settings) {
  Context ctx(Device::parse(settings.device), {.threads = settings.threads});
  const auto bytes = [&] { return memory_use(ctx.device().kind).current_bytes; };
  const std::size_t before = bytes();
  const auto begin = std::chrono::steady_clock::now();
  const SparseFft<float> fft(
      row.pattern,
      {.tile_rows = settings.tile, .batch_rows = settings.batch, .longest_shared_row = settings.shared}, ctx);
  ctx.synchronize();
  const double setup = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const Shape shape = fft.spectrum_shape();
  nlohmann::json result{
      {"problem", row.name},      {"rows", row.pattern.rows},         {"columns", row.pattern.columns},
      {"entries", fft.entries()}, {"length", fft.transform_length()}, {"setup_ms", 1e3 * setup}};

  if (!settings.kept) {
    // Streamed: only the values needed for the sample are compared, as they arrive.
    const auto places = sample_of(shape);
    double error = 0, norm = 0;
    Index rows_seen = 0;
    bool check = true;
    const double streamed = milliseconds_of(
        [&] {
          fft.stream(
              [&](const SpectrumTile<float>& tile) {
                rows_seen += tile.rows.shape()[0];
                if (!check) return;
                for (const auto& [u, v] : places) {
                  const Index i = u - tile.first_row;
                  if (i < 0 || i >= tile.rows.shape()[0]) continue;
                  const auto expected = exact(row.pattern, u, v);
                  error += std::norm(std::complex<double>(tile.rows[i * shape[1] + v]) - expected);
                  norm += std::norm(expected);
                }
              },
              ctx);
          check = false;
        },
        1, ctx);
    result["streamed_ms"] = streamed;
    result["streamed_bytes"] = bytes() - before;
    result["error"] = std::sqrt(error / norm);
    if (rows_seen != 2 * shape[0])
      throw internal_error("{} rows came by, expected {}", rows_seen, 2 * shape[0]);

    SpectrumSummary summary;
    result["summary_ms"] = milliseconds_of([&] { summary = fft.summary(ctx); }, 1, ctx);
    result["side_lobe"] = summary.side_lobe();
    result["energy_error"] =
        summary.energy / (static_cast<double>(fft.entries()) * static_cast<double>(row.pattern.rows) *
                          static_cast<double>(row.pattern.columns)) -
        1;
  }
  const std::size_t needed = static_cast<std::size_t>(shape.size()) * sizeof(std::complex<float>);
  if (ctx.memory_limit() > needed + (needed >> 3)) {
    ctx.arena().release();
    Array<std::complex<float>> out(shape, ctx.device());
    result["kept_ms"] = milliseconds_of([&] { fft.spectrum(out, ctx); }, settings.repeats, ctx);
    result["kept_bytes"] = bytes() - before;
  }
  if (row.target_ms > 0) result["target_ms"] = row.target_ms;
  if (row.target_gb > 0) result["target_gb"] = row.target_gb;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app("transforms of sparse binary matrices");
  app.add_option("--device", settings.device);
  app.add_option("--threads", settings.threads);
  app.add_option("--rows", settings.rows, "only rows whose name contains this");
  app.add_option("--mtx", settings.files, "Matrix Market files instead of the rows");
  app.add_option("--repeats", settings.repeats)->check(CLI::PositiveNumber);
  app.add_option("--tile", settings.tile);
  app.add_option("--batch", settings.batch);
  app.add_option("--shared", settings.shared);
  app.add_flag("--kept", settings.kept, "only the kept spectrum");
  app.add_option("--json", settings.json);
  CLI11_PARSE(app, argc, argv);
  try {
    struct Kind {
      const char* name;
      Index size;
      double density, target_ms, target_gb;
    };
    constexpr Kind kinds[] = {{"8219, 0.36 %, symmetric", 8219, 0.0036, 2.5, 0.35},
                              {"16384, 0.0366 %, symmetric", 16384, 0.000366, 0.9, 1.2},
                              {"52329, 0.1 %, symmetric", 52329, 0.001, 120, 0}};
    nlohmann::json results = nlohmann::json::array();
    const auto run = [&](Row row) {
      results.push_back(measure(row, settings));
      fmt::print("{}\n", results.back().dump());
      std::fflush(stdout);
    };
    for (const std::string& file : settings.files) run({file, read_matrix_market(file)});
    if (settings.files.empty())
      for (const Kind& kind : kinds)
        if (std::string(kind.name).find(settings.rows) != std::string::npos)
          run({kind.name,
               random_pattern(
                   {.rows = kind.size, .columns = kind.size, .density = kind.density, .symmetric = true}),
               kind.target_ms, kind.target_gb});
    if (!settings.json.empty()) std::ofstream(settings.json) << results.dump(2) << '\n';
  } catch (const Error& error) {
    fmt::print(stderr, "bench_sparse_fft: {}\n", error.what());
    return error.exit_code();
  }
  return 0;
}
