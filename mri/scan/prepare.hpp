#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>
#include <larmor/core/vectors/shared_array.hpp>
#include <larmor/mri/scan/bands.hpp>
#include <larmor/mri/scan/coordinates.hpp>
#include <larmor/mri/scan/grids.hpp>
#include <larmor/mri/scan/units.hpp>
#include <larmor/mri/trajectory/gradient_delay.hpp>
#include <larmor/mri/trajectory/readout_line.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace LARMOR_API larmor {

/// Selected values of a counter: first <= value < last.
struct IndexRange {
  Index first = 0;
  Index last = std::numeric_limits<Index>::max();
  bool contains(Index value) const { return value >= first && value < last; }
  bool everything() const { return first == 0 && last == std::numeric_limits<Index>::max(); }
};

/// Meaning of a column of a trajectory. The last two are ignored; times are for field maps.
enum class TrajectoryColumn { kx, ky, kz, weight, time, phase, ignore };
const char* to_string(TrajectoryColumn column);

/// Trajectories generated for files that have none. golden, tiny_golden, uniform: spokes, by SpokeOrder;
/// cartesian: lines. none: the file must have one.
enum class GeneratedTrajectory { none, golden, tiny_golden, uniform, cartesian };
const char* to_string(GeneratedTrajectory trajectory);

/// Interpretation of the samples of imaging readouts.
struct ReadingOptions {
  std::vector<TrajectoryColumn> columns;  ///< of the trajectory; empty: derived from their number
  GeneratedTrajectory generate = GeneratedTrajectory::none;
  /// Trajectory instead of the file's, [..., columns]: one row for every sample of all imaging readouts in
  /// the file's order, or of one image if all images have the same number of samples; empty: the file's.
  SharedArray<double> trajectory;
  /// Density weights instead of the file's: one for every sample, in the order described at `trajectory`.
  SharedArray<double> weights;
  GradientDelay delay;  ///< correct the trajectory for delayed gradients
  /// One factor for every readout of the scan, by which its samples are divided, or for each of its channels,
  /// [readouts, channels]; empty: none.
  SharedArray<std::complex<float>> readout_factors;
  /// Displacements that are added to the coordinates of each readout of the scan: [readouts, dims], in
  /// cycles/pixel of the solve grid; empty: none.
  SharedArray<double> readout_shifts;
  /// Rigid motion of the object, see RigidMotion: [shots, 6], where shots are equal numbers of consecutive
  /// imaging readouts; empty: none.
  SharedArray<double> motion;
  /// Correct the trajectory by the gradients' response, see GradientResponse; empty: no correction.
  SharedArray<std::complex<double>> gradient_response;
  bool apply_fov_shift = false;  ///< multiply by exp(+2πi k·r), r the position in pixels along the image axes
  bool conjugate = false;        ///< use the conjugate of the samples
  bool sample_times = false;     ///< compute the time of each sample, for field maps
  bool leave_out_empty = true;  ///< skip readouts without a trajectory or samples, see ScanPlan::left_out
};

/// Conversion of channels to coils.
struct ChannelOptions {
  bool whiten = true;           ///< with the file's noise readouts, if there are any
  bool keep_units = false;      ///< find the noise of the channels, but do not whiten them
  const Scan* noise = nullptr;  ///< another scan whose noise readouts are used instead; borrowed
  Index virtual_coils = 0;      ///< compress to this many coils; 0: keep all
};

/// Selection of readouts, grids, and interpretation of the data.
struct PrepareOptions : ReadingOptions, ChannelOptions {
  GridOptions grid;
  TrajectoryUnits units = TrajectoryUnits::automatic;
  /// A third value for ReadingOptions::delay, whose meaning depends on the scan: delay.z if readouts move
  /// along z, otherwise delay.xy.
  double third_delay = 0;
  bool estimate_delay = false;    ///< estimate the delay from the data, see with_estimated_delay
  bool estimate_factors = false;  ///< estimate readout_factors from the data, see estimated_factors
  /// Number of shots whose motion is estimated from the data, see with_estimated_motion(); 0: none.
  Index motion_shots = 0;
  IndexRange slice, contrast, phase, repetition, set;
  BandOptions bands;
  /// Treats readouts flagged as calibration as imaging data.
  bool calibration_is_imaging = false;
  std::optional<Index> encoding;  ///< selected `encoding`; default: the first that has imaging readouts
};

/// One image of a scan: the readouts that belong to it. Averages and segments are merged.
struct PlannedImage {
  ImageCounters counters;
  std::vector<std::size_t> readouts;  ///< indices of Scan::readouts, in the file's order
  Index samples = 0;                  ///< after trimming discard_pre and discard_post, before dropping
  Index dropped = 0;                  ///< samples beyond ±0.5 cycles/pixel of the recon grid
  std::size_t trajectory_id = 0;      ///< equal for images that share a trajectory (and weights)
  ImageGeometry geometry;             ///< of the recon image
  std::uint32_t acquisition_time_stamp = 0;
};

/// Source of the coordinates and meaning of the columns.
struct TrajectoryLayout {
  enum class Source { file, external, generated };
  Source source = Source::file;
  int columns = 0;                      ///< of the stored or external trajectory
  std::array<int, 3> column{0, 1, -1};  ///< column of kx, ky, kz; −1: not stored
  int weight_column = -1, time_column = -1;
  double time_unit_s = 1;  ///< of the time column
  bool stack = false;      ///< kz = (kspace_encode_step_2 − centre) / N_z
  double stack_centre = 0;
  std::string text;  ///< description
};

/// Plan of a reconstruction, derived from headers and trajectory, and from samples that are zero.
struct ScanPlan {
  /// PrepareOptions::reading with open choices decided: generated lines, the meaning of the third delay. The
  /// steps after planning use this instead of PrepareOptions.
  ReadingOptions reading;
  std::size_t encoding = 0;
  Grids grids;
  UnitDecision units;
  TrajectoryLayout layout;
  ReadoutConvention convention;      ///< of readouts whose positions are generated
  Index channels = 0;                ///< of the imaging readouts
  int dims = 2;                      ///< of the solve grid: 2 or 3
  bool lines = false;                ///< readouts run along x
  std::vector<std::size_t> imaging;  ///< all imaging readouts of the encoding, selected or not
  std::vector<PlannedImage> images;
  BandPlan bands;  ///< number of slices that form one image; PlannedImage::counters are those of the first
  /// Imaging readouts whose stored trajectory or whose samples are zero throughout, if others of the image
  /// are not: none of their samples is used, as if they were beyond the grid's k-space.
  std::set<std::size_t> left_out;
  std::vector<std::size_t> noise_readouts;
  std::map<std::string, Index> skipped;  ///< number of readouts that are not imaging data, by flag name
  Index deselected_readouts = 0, trimmed_samples = 0;
  bool place_known = true;                         ///< see Scan::place_known
  double imaging_dwell_us = 0;                     ///< 0: not known
  std::shared_ptr<const Coordinates> coordinates;  ///< of the images' readouts, read once
  SharedArray<double> bins;                        ///< that were found, see gated_bins(); empty: none
  std::vector<std::string> notes, warnings;

  /// Coordinates of Scan::readouts[readout], which belongs to one of the images.
  const ReadoutCoordinates& at(std::size_t readout) const { return coordinates->of(readout); }
  /// Factors of the bands in an imaging readout.
  View<const std::complex<double>> band_factors(std::size_t readout) const {
    return bands.factors.view().slice(std::lower_bound(imaging.begin(), imaging.end(), readout) -
                                      imaging.begin());
  }

  /// Of all images.
  Index total_samples() const;
  Index dropped_samples() const;
};

/// Applies the rules of reading: flags, counters, trimming, trajectory layout, units and grids. Reads the
/// trajectory; of samples, only whether any is nonzero, with the threads of `workers` if given. Throws Error
/// (input) for scans that cannot be reconstructed, with the remedy.
ScanPlan plan_scan(const Scan& scan, const PrepareOptions& options, Context* workers = nullptr);

}  // namespace larmor
