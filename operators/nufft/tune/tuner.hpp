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
  measure,  ///< candidates that a cost model, corrected by every measurement, expects to be close to the best
  exhaustive,  ///< every candidate
};
/// Use of the transform.
enum class TuneGoal { forward, adjoint, both };
std::string to_string(TuneLevel level);
std::string to_string(TuneGoal goal);

/// Goal and limits of the tuner.
struct TuneOptions {
  TuneLevel level = TuneLevel::measure;
  TuneGoal goal = TuneGoal::both;
  double seconds = 10;    ///< time after which no candidate is started; the default is always measured
  std::size_t bytes = 0;  ///< limit for a candidate's tables and scratch; 0: the context's memory limit
  std::optional<NufftMethod> method = std::nullopt;  ///< fixed by the caller
  double oversampling = 0;                           ///< fixed by the caller unless 0
  Wisdom* wisdom = nullptr;                          ///< not owned; null: nothing is remembered
};

/// A candidate and its cost. Times are for one application to all coils.
struct TuneTrial {
  NufftMethod method = NufftMethod::gridding;
  double wanted = 0;  ///< NufftOptions::oversampling; 0: the plan's own choice
  double oversampling = 0;
  int width = 0;
  std::array<Index, 3> grid{1, 1, 1};  ///< x, y, z
  std::size_t bytes = 0;
  double forward_ms = 0, adjoint_ms = 0, setup_ms = 0;  ///< 0: not measured

  /// True if it has been measured.
  bool measured() const { return forward_ms > 0 || adjoint_ms > 0; }
  /// Time of the goal: one direction, or the sum of both.
  double goal_ms() const { return forward_ms + adjoint_ms; }
};

/// Candidates that the tuner tried, and its choice.
struct TuneResult {
  NufftOptions options;  ///< options for making the Nufft
  TuneTrial chosen;
  std::vector<TuneTrial>
      trials;  ///< measured candidates in order, starting with the default; empty if nothing was measured
  std::size_t candidates = 0;  ///< total number of candidates
  bool from_wisdom = false;
  double seconds = 0;
  std::string key;  ///< key in the wisdom file
};

/// Chooses method, oversampling and thus kernel width for this trajectory, image, accuracy, number of coils
/// and device. `base` gives tolerance, coils and kernel. Wisdom for another trajectory, device or problem has
/// another key; an invalid entry is replaced, with a warning.
template <typename T>
TuneResult tune_nufft(View<const double> trajectory, const Shape& image, const NufftOptions& base,
                      const TuneOptions& options, Context& ctx);

/// Times of AᴴA in its different forms.
struct NormalTrial {
  std::string form;  ///< "Toeplitz" or "adjoint and forward"
  NormalOptions options;
  double ms = 0, setup_ms = 0;
};
/// Sorted, fastest first.
template <typename T>
std::vector<NormalTrial> tune_normal(const Nufft<T>& nufft, Context& ctx);

/// "AMD EPYC 9654, 8 threads" or the name of the GPU.
std::string device_description(const Context& ctx);

}  // namespace larmor
