#pragma once

// Predicted time of several ranks, from the times of one and the rates of links: work is divided, an
// all-reduce of the image is added, and the part that every rank computes itself remains.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace larmor::bench {

class ScalingModel {
 public:
  void add_reduction(double bytes, double seconds) { measured_[bytes] = seconds; }
  /// For the measured numbers of ranks: linear interpolation between two sizes; 0: none was measured.
  double reduction_seconds(double bytes) const {
    if (measured_.empty()) return 0;
    auto above = measured_.lower_bound(bytes);
    if (above == measured_.begin()) return above->second;
    if (above == measured_.end()) return std::prev(above)->second * bytes / std::prev(above)->first;
    const auto below = std::prev(above);
    return below->second +
           (above->second - below->second) * (bytes - below->first) / (above->first - below->first);
  }

  /// One iteration: seconds per coil, seconds of everything else, and the bytes of the image.
  void set_coils(double a_coil, double rest, double bytes, std::int64_t coils) {
    works_["coils"] = {a_coil * static_cast<double>(coils), rest, bytes};
  }
  /// Separate problems: nothing is exchanged.
  void set_frames(double seconds) { works_["frames"] = {seconds, 0, 0}; }

  /// Efficiency by number of GPUs: 8 in one machine, beyond that several machines.
  nlohmann::ordered_json curves() const {
    nlohmann::ordered_json all;
    for (const auto& [name, work] : works_)
      for (const Network& network : networks)
        for (const int gpus : {1, 2, 4, 8, 16, 32, 64})
          all[name][network.name].push_back({{"gpus", gpus},
                                             {"ms", 1e3 * seconds(work, gpus, network)},
                                             {"efficiency", efficiency(work, gpus, network)}});
    return all;
  }
  std::string text() const {
    std::string text = "model: efficiency with 1 2 4 8 16 32 64 GPUs, 8 in a machine by NVLink\n";
    for (const auto& [name, work] : works_)
      for (const Network& network : networks) {
        text += fmt::format("  {:8} {:14}", name, network.name);
        for (const int gpus : {1, 2, 4, 8, 16, 32, 64})
          text += fmt::format(" {:.2f}", efficiency(work, gpus, network));
        text += "\n";
      }
    return text;
  }

 private:
  struct Work {
    double divided = 0, fixed = 0, bytes = 0;
  };
  struct Network {
    const char* name;
    double bytes_per_second;  // of a machine
  };
  // Effective fraction of a line rate of 100 and of 400 Gbit/s.
  static constexpr Network networks[] = {{"100 Gbit/s", 11e9}, {"400 Gbit/s", 45e9}};
  // Bus rate of an all-reduce of 134 MB on machines with 8 H100 or H200, and the minimum time of a collective
  // operation.
  static constexpr double nvlink = 330e9, latency = 20e-6;
  static constexpr int in_a_machine = 8;

  static double seconds(const Work& work, int gpus, const Network& network) {
    const double n = gpus, inside = std::min(gpus, in_a_machine), machines = n / inside;
    double time = work.divided / n + work.fixed;
    if (gpus == 1 || work.bytes == 0) return time;
    time += latency * std::log2(n) + 2 * (inside - 1) / inside * work.bytes / nvlink;
    return time + 2 * (machines - 1) / machines * work.bytes / network.bytes_per_second;
  }
  static double efficiency(const Work& work, int gpus, const Network& network) {
    return seconds(work, 1, network) / (gpus * seconds(work, gpus, network));
  }

  std::map<double, double> measured_;
  std::map<std::string, Work> works_;
};

}  // namespace larmor::bench
