#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/mri/trajectory/gradient_response.hpp>

#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace larmor {

// Source of the coordinates of a scan's imaging readouts: the steps of plan_scan and load_image that read a
// trajectory. Internal to them.

/// Samples of a readout that remain after discard_pre and discard_post.
inline Index kept_samples(const ReadoutHeader& header) {
  return Index{header.samples} - header.discard_pre - header.discard_post;
}

/// The largest magnitude of the samples' real and imaginary parts; not finite if one of them is not.
float largest_part(const std::complex<float>* samples, Index count);
/// That of all kept samples of a readout.
float largest_part(const Scan& scan, const Readout& readout);
/// True if all kept samples of a readout are finite numbers.
inline bool finite_samples(const Scan& scan, const Readout& readout) {
  return std::isfinite(largest_part(scan, readout));
}
/// Throws Error (input) for the first of a readout's kept samples that is not a finite number.
LARMOR_API void require_finite(const Scan& scan, std::size_t index);

/// Groups readouts into images by their counters, ascending.
std::vector<PlannedImage> images_of(const Scan& scan, const std::vector<std::size_t>& readouts);

/// First row of every readout in an array with one row per sample (see PrepareOptions::trajectory); rows of
/// discard_pre are already skipped. −1 for readouts that are not in plan.images. Throws Error (input) naming
/// `what` if `rows` is not one of the matching numbers.
std::vector<Index> match_rows(const Scan& scan, const ScanPlan& plan, Index rows, const char* what);
/// First row of every readout of plan.images if all of them are stored in the file's order, without samples
/// removed by discard_pre and discard_post.
std::vector<Index> sample_rows(const Scan& scan, const ScanPlan& plan);

/// Decides source and columns; needs plan.images, plan.encoding and plan.reading. Throws Error (input or
/// usage).
TrajectoryLayout decide_layout(const Scan& scan, const ScanPlan& plan, Context* workers = nullptr);

/// body(i) for every i in [0, n), distributed over the threads of `workers` if given, `grain` at a time.
/// Throws the exception of the first that failed.
template <typename Body>
void share_readouts(std::size_t n, Context* workers, const Body& body, Index grain = 16) {
  if (workers == nullptr) {
    for (std::size_t i = 0; i < n; ++i) body(i);
    return;
  }
  std::vector<std::exception_ptr> failures(n);
  parallel_for(*workers, static_cast<Index>(n), grain, [&](Index begin, Index end, int) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) try {
        body(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
  });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

/// In cycles per encoded pixel, for a readout of a stack; otherwise 0.
double stack_kz(const Scan& scan, const ScanPlan& plan, std::size_t index);

/// The stored or given trajectory without discarded samples; scan and plan are borrowed.
class StoredTrajectory {
 public:
  StoredTrajectory(const Scan& scan, const ScanPlan& plan, const TrajectoryLayout& layout);
  /// A column of readout `index`.
  std::vector<double> column(std::size_t index, int column) const;
  /// The same, to every `step`-th number.
  void copy(std::size_t index, int column, double* to, Index step) const;

 private:
  const Scan& scan_;
  const ScanPlan& plan_;
  Index columns_;
  std::vector<Index> rows_;  // by readout; empty if the file has them
};

/// Reads the coordinates of readouts; several threads may do so at a time.
class TrajectoryReader {
 public:
  TrajectoryReader(const Scan& scan, const ScanPlan& plan);

  /// True if samples have density weights.
  bool weighted() const { return !weight_rows_.empty() || (!generated() && plan_.layout.weight_column >= 0); }
  /// The units of the stored columns do not apply to generated coordinates, which are cycles per encoded
  /// pixel.
  bool generated() const { return plan_.layout.source == TrajectoryLayout::Source::generated; }
  /// Coordinates of the kept samples of readout `index`, [samples][3] in file units, kz 0 for stacks and
  /// slices. weights stays empty when there are none.
  /// Throws Error (input) for the first value that is not finite.
  void read(std::size_t index, std::vector<double>& k, std::vector<double>& weights) const;
  /// Number of generated spokes over which the angles are distributed.
  Index spoke_count() const { return spoke_count_; }
  /// Times in s of the kept samples, if the trajectory has a column of them; otherwise false.
  bool read_times(std::size_t index, std::vector<double>& times) const;
  /// The same in cycles/pixel of the solve grid, corrected for the gradients' response and delay, and whether
  /// the sample lies within the recon pixel's ±0.5; needs plan.units and plan.grids. k is [samples][dims].
  /// cycles: as GradientResponse::apply() returns them. Returns the number of samples kept.
  Index read_scaled(std::size_t index, std::vector<double>& k, std::vector<double>& weights,
                    std::vector<char>& inside, std::vector<double>& cycles) const;
  /// True if samples have cycles.
  bool turns_samples() const { return response_ && response_->crosses(); }

 private:
  void number_spokes();
  void prepare_spiral();
  void prepare_lines();
  void read_stored(std::size_t index, std::vector<double>& k, std::vector<double>& weights) const;
  std::vector<double> correct(std::size_t index, std::vector<double>& k) const;
  void generate(std::size_t index, std::vector<double>& k) const;

  const Scan& scan_;
  const ScanPlan& plan_;
  std::optional<StoredTrajectory> stored_;
  std::vector<Index> weight_rows_;  // by readout; empty if the file has them
  std::vector<Index> spokes_;       // by readout, for generated trajectories
  Index spoke_count_ = 0;
  std::optional<GradientResponse> response_;
  std::vector<double> spiral_;  // [samples][2] of interleaf 0, cycles per encoded pixel
  std::vector<double> line_;    // positions_in_lobe() of an echo train; empty: lines are uniform
};

/// Reads the coordinates of all images once: fills plan.coordinates and the images' fields that depend on
/// them.
void read_coordinates(const Scan& scan, const TrajectoryReader& reader, ScanPlan& plan, Context* workers);

}  // namespace larmor
