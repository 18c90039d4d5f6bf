#pragma once

// What benchmarks on a CUDA device share: their options, the clock, and the table of rows.

#include <larmor/core/context.hpp>
#include <larmor/core/cuda/runtime.hpp>

#include "problems.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

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

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Median and smallest milliseconds of a call, the device having finished.
struct Times {
  double median, least;
};
inline Times time_of(const std::function<void()>& call, int repeats, Context& ctx) {
  call();
  ctx.synchronize();
  std::vector<double> times;
  // Short calls are repeated within one measurement, so that waiting for the device does not count.
  double begin = seconds_now();
  call();
  ctx.synchronize();
  const int inner = std::max(1, static_cast<int>(3e-3 / (seconds_now() - begin)));
  for (int i = 0; i < repeats; ++i) {
    begin = seconds_now();
    for (int j = 0; j < inner; ++j) call();
    ctx.synchronize();
    times.push_back(1e3 * (seconds_now() - begin) / inner);
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front()};
}

/// `targets` of n, all over the place, or all of them.
inline Array<std::int64_t> chosen(Index n, Index targets = 1000) {
  const Index count = std::min(targets, n);
  Array<std::int64_t> list({count});
  SplitMix random(11);
  for (Index i = 0; i < count; ++i)
    list[i] = count == n ? i : static_cast<Index>(random.uniform() * static_cast<double>(n));
  return list;
}

/// ‖found(list) − exact‖ / ‖exact‖
template <typename T, typename E>
double difference(const Array<std::int64_t>& list, const Array<std::complex<T>>& found,
                  const Array<std::complex<E>>& exact) {
  double error = 0, norm = 0;
  for (Index i = 0; i < list.size(); ++i) {
    std::complex<T> value;
    copy_bytes(&value, Device::cpu(), found.data() + list[i], found.device(), sizeof(value));
    error += std::norm(std::complex<double>(value) - std::complex<double>(exact[i]));
    norm += std::norm(std::complex<double>(exact[i]));
  }
  return std::sqrt(error / norm);
}

/// Prints rows as they come and writes them as JSON. A row has problem, direction, ms, target_ms, peer_ms (0:
/// none) and whatever else was measured.
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
                            "sort_ms", "spread_ms", "first_run_ms"})
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
