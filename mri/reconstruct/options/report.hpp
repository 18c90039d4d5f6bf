#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/quality/transfer.hpp>
#include <larmor/mri/reconstruct/options/memory_plan.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/solvers/lambda_search.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/regularizers/registry.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace LARMOR_API larmor {

/// Start and end of a stage.
struct StageSpan {
  std::string stage;
  std::chrono::steady_clock::time_point begin, end;
};

/// Report of one problem.
struct ImageReport {
  ImageCounters counters;
  Index samples = 0, dropped = 0;
  std::size_t trajectory_id = 0;
  /// Fraction of the solved image's k-space without samples, mean of the frames; NaN if each rank has a part
  /// of the samples.
  double not_sampled = std::numeric_limits<double>::quiet_NaN();
  /// Fraction of the data's norm that the image leaves unexplained, ‖√w(Ax − y)‖/‖√w y‖, and the fraction
  /// that is noise; NaN: unknown.
  double unexplained = std::numeric_limits<double>::quiet_NaN();
  double noise = std::numeric_limits<double>::quiet_NaN();
  std::vector<SolverStep> history;  ///< empty for gridding
  StopReason stop_reason = StopReason::iterations;
  double distance = std::numeric_limits<double>::quiet_NaN();  ///< see SolverResult
  double operator_norm_squared = 0;  ///< ‖A‖² that the problem was divided by; 0 if it was not needed
  double scale = 0;                  ///< max|Aᴴy| that the data were divided by; 0 if it was not needed
  double step_size = 0;              ///< see SolverResult
  /// Width in points of the centre of k-space from which a phase constraint takes its phase; 0: no
  /// constraint.
  Index phase_points = 0;
};

/// Report of a series, a subspace or a field map.
struct SeriesSummary {
  Index frames = 0;          ///< of the first series; 0: images were solved one by one
  Index coefficients = 0;    ///< of the temporal basis; 0: frames were solved for
  Index unused = 0;          ///< readouts without a frame, all series
  Index segments = 0;        ///< of the field map, the largest number of all series; 0: none
  double segment_error = 0;  ///< of their approximation, root mean square, relative to the signal
};

/// Expected error of an image.
struct ExpectedError {
  double error = 0;   ///< of the magnitude, relative to the object's: root mean square
  Transfer transfer;  ///< factor from the object to the image
};

/// The first image's noise and expected error, from SolveOptions::automatic.
struct Expectation {
  double noise_variance = 0;  ///< of a sample, known or estimated
  bool noise_alone = false;   ///< the data contain no image above the noise: no expectation
  ExpectedError expected;
  double unexplained = 0, noise = 0;  ///< see ImageReport
  /// The fraction of the data's norm that is left unexplained and is not noise: errors of the model.
  double misfit() const { return std::sqrt(std::max(0.0, unexplained * unexplained - noise * noise)); }
  /// The expected error and the misfit together.
  double error() const { return std::hypot(expected.error, misfit()); }
};

/// The solver and its terms.
struct SolutionSummary {
  std::string solver;                         ///< as used
  std::vector<RegularizerSpec> regularizers;  ///< with the λ that was found if it was automatic
  LambdaChoice lambda_choice;                 ///< rule that found it; empty if it was given
  std::optional<Expectation> expectation;     ///< if SolveOptions::automatic is set
};

/// The NUFFT and the normal operator made from it.
struct TransformSummary {
  double tolerance = 0, error_measured = 0, oversampling = 0;
  int kernel_width = 0;
  std::string normal_operator;  ///< its tree of names; empty for gridding
  bool toeplitz = false;
};

/// Memory as planned before allocating, and as used.
struct MemorySummary {
  MemoryPlan plan;
  std::size_t peak_resident_bytes = 0;  ///< of the process, at the end
  std::size_t peak_device_bytes = 0;    ///< of arrays on a CUDA device; 0 on the CPU
  Index coil_block = 0;                 ///< coils transformed at a time because of limited memory; 0: all
  /// Coil maps and samples are in host memory if the device's is limited.
  Placement placement = Placement::device;
};

/// Distribution of the work among ranks.
struct RanksSummary {
  int count = 1;         ///< number of ranks and number of ranks that worked
  std::string divided;   ///< "images", "series", "frames", "coils"; empty: nothing
  std::string exchange;  ///< transport of arrays: Communicator::name()
};

/// Time of each stage: "prepare", "calibrate", "setup", "iterate".
struct StageTimes {
  std::vector<std::pair<std::string, double>> seconds;
  std::vector<StageSpan> timeline;  ///< in order of time
};

/// Report of a whole reconstruction.
struct ReconstructionReport {
  std::vector<ImageReport> images;  ///< one for each problem: for a series one for all its frames
  SeriesSummary series;
  SolutionSummary solution;
  TransformSummary transform;
  std::string calibration;  ///< "espirit", "walsh", "nlinv", "given", "none"
  std::string density;      ///< "none", "pipe", "analytic", "voronoi", "given", "file"
  MemorySummary memory;
  RanksSummary ranks;
  StageTimes times;
};

/// Adds the time since the last call to one of the report's stages.
class StageClock {
 public:
  /// Starts now.
  explicit StageClock(ReconstructionReport& report) : report_(report), last_(Clock::now()) {}
  /// Adds the time since the last call, or the start, to this stage.
  void charge(const char* stage);

 private:
  using Clock = std::chrono::steady_clock;
  ReconstructionReport& report_;
  Clock::time_point last_;
};

/// Passes notes and warnings to the context's reporter.
void tell(const std::vector<std::string>& notes, const std::vector<std::string>& warnings, Context& ctx);

}  // namespace larmor
