#pragma once

// Options and table of rows shared by the benchmarks on a CUDA device.

#include <larmor/core/context.hpp>
#include <larmor/core/cuda/runtime.hpp>

#include "measure.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

namespace larmor::bench {

struct DeviceSettings {
  std::string rows, json, commit, driver;
  int repeats = 9;

  void add_to(CLI::App& app) {
    app.add_option("--rows", rows, "only rows whose name contains this");
    app.add_option("--json", json, "write the results here");
    app.add_option("--commit", commit, "recorded in the results");
    app.add_option("--driver", driver, "recorded in the results");
    app.add_option("--repeats", repeats, "measurements of each row");
  }
  bool wants(const std::string& name) const { return name.find(rows) != std::string::npos; }
};

/// Prints rows as they are measured and writes them as JSON. A row has problem, direction, ms, target_ms,
/// peer_ms (0: none) and further measurements.
class DeviceTable {
 public:
  void record(const nlohmann::json& row) {
    rows_.push_back(row);
    const double ms = row.at("ms"), target = row.at("target_ms"), peer = row.at("peer_ms");
    fmt::print("{:34} {:8} {:9.3f} ms  target {:7.2f} peer {:7.2f} {}", row.at("problem").get<std::string>(),
               row.at("direction").get<std::string>(), ms, target, peer,
               target <= 0    ? "    "
               : ms <= target ? "met "
               : ms <= peer   ? "peer"
                              : "SLOW");
    for (const char* key : {"error", "error_allowed", "width", "oversampling", "setup_ms", "one_way_setup_ms",
                            "set_points_ms", "sort_ms", "spread_ms", "first_run_ms"})
      if (row.contains(key)) fmt::print("  {} {:.3g}", key, row.at(key).get<double>());
    fmt::print("\n");
    std::fflush(stdout);
  }

  void write(const DeviceSettings& settings, const Context& ctx) const {
    if (settings.json.empty()) return;
    char date[16];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
    nlohmann::json all{{"date", date},
                       {"commit", settings.commit},
                       {"driver", settings.driver},
                       {"device", cuda::device_name(ctx.device().ordinal)},
                       {"rows", rows_}};
    std::ofstream(settings.json) << all.dump(1) << "\n";
  }

 private:
  nlohmann::json rows_ = nlohmann::json::array();
};

}  // namespace larmor::bench
