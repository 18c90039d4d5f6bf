#pragma once

#include <larmor/core/data/wisdom.hpp>
#include <larmor/core/export.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

enum class TuneLevel {
  wisdom_only,  ///< stored results, otherwise as estimate; nothing is measured
  estimate,     ///< the plan's own cost model; nothing is measured
  measure,      ///< what a model of costs, corrected by every measurement, expects to be close to the best
  exhaustive,   ///< every candidate
};
/// What the transform is used for.
enum class TuneGoal { forward, adjoint, both };
std::string to_string(TuneLevel level);
std::string to_string(TuneGoal goal);

/// What the tuner looks for, and how long.
struct TuneOptions {
  TuneLevel level = TuneLevel::measure;
  TuneGoal goal = TuneGoal::both;
  double seconds = 10;    ///< no candidate is begun after so long; the default is always measured
  std::size_t bytes = 0;  ///< tables and scratch that a candidate may take; 0: the context's memory limit
  std::optional<NufftMethod> method = std::nullopt;  ///< fixed by the caller
  double oversampling = 0;                           ///< fixed by the caller unless 0
  Wisdom* wisdom = nullptr;                          ///< borrowed; null: nothing is remembered
};

/// A way to do the transform and what it costs. Times are of one apply to all coils.
struct TuneTrial {
  NufftMethod method = NufftMethod::gridding;
  double wanted = 0;  ///< NufftOptions::oversampling; 0: the plan's own choice
  double oversampling = 0;
  int width = 0;
  std::array<Index, 3> grid{1, 1, 1};  ///< x, y, z
  std::size_t bytes = 0;
  double predicted_ms = 0;                              ///< of the goal, before it was measured
  double forward_ms = 0, adjoint_ms = 0, setup_ms = 0;  ///< 0: not measured

  /// Whether it has run.
  bool measured() const { return forward_ms > 0 || adjoint_ms > 0; }
  /// Of the goal: one direction, or both one after the other.
  double goal_ms() const { return forward_ms + adjoint_ms; }
};

/// What the tuner tried and chose.
struct TuneResult {
  NufftOptions options;  ///< what to make the Nufft with
  TuneTrial chosen;
  std::vector<TuneTrial>
      trials;                  ///< measured, in order; the first is the default. Empty: nothing was measured
  std::size_t candidates = 0;  ///< that there were
  bool from_wisdom = false;
  double seconds = 0;
  std::string key;  ///< of the wisdom
};

/// Chooses method, oversampling and with it kernel width for this trajectory, image, accuracy, coil number
/// and device. `base` says tolerance, coils and kernel. Wisdom of another trajectory, device or problem has
/// another key; an entry that makes no sense is refused with a warning and replaced.
template <typename T>
TuneResult tune_nufft(View<const double> trajectory, const Shape& image, const NufftOptions& base,
                      const TuneOptions& options, Context& ctx);

/// Times of AᴴA in its forms.
struct NormalTrial {
  std::string form;  ///< "Toeplitz" or "adjoint and forward"
  NormalOptions options;
  double ms = 0, setup_ms = 0;
};
/// The fastest first.
template <typename T>
std::vector<NormalTrial> tune_normal(const Nufft<T>& nufft, Context& ctx);

/// "AMD EPYC 9654, 8 threads" or the name of the GPU.
std::string device_description(const Context& ctx);

}  // namespace larmor
