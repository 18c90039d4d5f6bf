#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/planner.hpp>
#include <larmor/mri/scan/frames.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>
#include <larmor/solvers/lambda_search.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/regularizers/registry.hpp>

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace LARMOR_API larmor {

/// automatic: conjugate gradients for quadratic terms, fista for one term with a simple proximal map,
/// otherwise admm. lsmr: works on the samples, without the Toeplitz form. gridding: one adjoint with density
/// weights.
enum class SolverKind { automatic, conjugate_gradient, lsmr, fista, admm, pdhg, gridding };
enum class Combine { sense, rss, none };
/// How coil maps are estimated; none: not at all, for scans of one channel.
enum class Calibration { espirit, walsh, nlinv, none };
enum class DensityKind { automatic, pipe, analytic, voronoi, none, given };
enum class Precision { single_precision, double_precision };

/// The image behind a parameter prior=FILE of a term.
struct GivenPrior {
  std::string file;
  /// In the units of the images that are written: [(frames, coefficients or coils,) (z,) y, x] of the recon
  /// or the solve grid, for every image or series of the scan, or one such array after the other for each.
  View<const std::complex<float>> image;
};

/// Where a reconstruction was when its solver had done some iterations.
struct SavedState {
  Index image = 0;       ///< of the problems (images or series) that are solved one after the other
  std::string terms;     ///< as to_string() writes them, with the λ that was found
  double data_norm = 0;  ///< ‖Aᴴy‖, by which data are told apart
  std::variant<Checkpoint<float>, Checkpoint<double>> solver;  ///< by precision
};

/// Views are borrowed for the length of the call.
struct ReconstructOptions {
  PrepareOptions prepare;
  SolverKind solver = SolverKind::automatic;
  Combine combine = Combine::sense;
  Calibration calibration = Calibration::espirit;
  /// Coil maps in the scan's original channels, [coils, (z,) y, x] of the recon or the solve grid, or one
  /// such array a slice, [slices, coils, (z,) y, x]; empty: estimated. With map_sets > 1 the sets come before
  /// the coils: [(slices,) sets, coils, (z,) y, x].
  View<const std::complex<float>> maps;
  /// Coil map sets, given or estimated (by ESPIRiT), each with an image of its own (soft SENSE, Uecker et al.
  /// 2014): images of the sets follow each other, told apart by their counter `set`.
  Index map_sets = 1;
  /// automatic: none for conjugate gradients with a coil model; otherwise the file's weights when it has
  /// some, or pipe. given: PrepareOptions::weights, or the file's.
  DensityKind density = DensityKind::automatic;
  std::vector<RegularizerSpec> regularizers;  ///< at most one with an automatic λ
  std::vector<GivenPrior> priors;             ///< of those terms that name one
  Index iterations = 0;                       ///< 0: 30 where every term is quadratic, otherwise 100
  double tolerance = 0;  ///< stop when ‖gradient‖/‖Aᴴy‖ falls below; 0: exactly `iterations`
  double nufft_tolerance = 1e-3;
  NormalOptions::Toeplitz toeplitz = NormalOptions::Toeplitz::automatic;
  Precision precision = Precision::single_precision;
  /// How the transform of the samples is chosen; estimate: by the plan's own cost model. Not used where
  /// memory is short.
  TuneOptions tune{.level = TuneLevel::estimate};
  ImageKind kind = ImageKind::magnitude;
  Index replicas = 0;              ///< pseudo replicas for the maps of QualityMaps; 0: none
  std::uint64_t replica_seed = 1;  ///< of their noise
  /// Frames of a series that is solved for as one: SeriesChoice.
  std::optional<FrameWindow> window = std::nullopt;
  View<const double> bins;
  /// Off-resonance in Hz, as field_on_solve_grid takes it; empty: none.
  View<const float> field_map;
  /// R2* in 1/s and weight of the pixels beside the field map, as FieldMap has them; empty: none.
  View<const float> field_decay, field_weight;
  /// Temporal basis [frames, coefficients], as given_subspace takes it: coefficient images are solved for.
  /// The frames are windows or bins, without these the images of a slice. Empty: none.
  View<const std::complex<double>> basis;
  /// Is handed the state after every checkpoint_every iterations (0: never), between iterations.
  std::function<void(SavedState)> checkpoint;
  Index checkpoint_every = 0;
  /// Where to go on, to the same bits as without a break; images solved before that one are solved again.
  const SavedState* resume = nullptr;
  /// PrepareOptions::virtual_coils by geometric compression, slice by slice of a stack (Zhang et al. 2013).
  bool geometric_compression = false;
};

struct ImageReport {
  ImageCounters counters;
  Index samples = 0, dropped = 0;
  std::size_t trajectory_id = 0;
  std::vector<SolverStep> history;  ///< empty for gridding
  std::string stop_reason;
  double operator_norm_squared = 0;  ///< ‖A‖² that the problem was divided by; 0 when it was not needed
  double scale = 0;                  ///< max|Aᴴy| that the data were divided by; 0 when it was not needed
  double step_size = 0;              ///< as SolverResult has it
};

/// Of a series, a subspace or a field map.
struct SeriesSummary {
  Index frames = 0;          ///< of the first series; 0: images were solved for one by one
  Index coefficients = 0;    ///< of the temporal basis; 0: frames were solved for
  Index unused = 0;          ///< readouts that belong to no frame, all series
  Index segments = 0;        ///< of the field map, the most of all series; 0: none
  double segment_error = 0;  ///< of their approximation, root mean square, relative to the signal
};

struct ReconstructionReport {
  std::vector<ImageReport> images;  ///< of a series: one for all its frames
  SeriesSummary series;
  std::string solver;                         ///< as used
  std::vector<RegularizerSpec> regularizers;  ///< with the λ that was found where it was automatic
  LambdaChoice lambda_choice;                 ///< how it was found; empty where it was given
  double nufft_tolerance = 0, nufft_error_measured = 0, nufft_oversampling = 0;
  int nufft_kernel_width = 0;
  std::string normal_operator;  ///< the tree of names of the normal operator; empty for gridding
  bool toeplitz = false;
  std::string calibration;              ///< "espirit", "walsh", "nlinv", "given", "none"
  std::string density;                  ///< "none", "pipe", "analytic", "voronoi", "given", "file"
  MemoryPlan memory;                    ///< made before allocating
  std::size_t peak_resident_bytes = 0;  ///< of the process, at the end
  std::size_t peak_device_bytes = 0;    ///< of arrays on a CUDA device; 0 on the CPU
  Index coil_block = 0;                 ///< coils that were transformed at a time, for short memory; 0: all
  std::vector<std::pair<std::string, double>>
      seconds;  ///< by stage: "prepare", "calibrate", "setup", "iterate"
};

/// Maps beside the images, from pseudo replicas; empty without. Real numbers in complex pixels.
struct QualityMaps {
  ImageSeries deviation;        ///< of the noise in a magnitude image, in the units of the images
  ImageSeries signal_to_noise;  ///< |image| / deviation
  /// Noise relative to a Cartesian scan with as many samples that is fully sampled but for its fewer averages
  /// (R = pixels / samples of the solve grid): the g-factor, and for trajectories also the price of uneven
  /// sampling.
  ImageSeries g_factor;
};

struct Reconstruction {
  ImageSeries series;
  QualityMaps quality;
  ScanPlan plan;
  ChannelPlan channels;
  ReconstructionReport report;
};

/// From raw data to images, in the units of the plain Fourier sum. Takes the scan, so that its data can be
/// freed early; notes, warnings and progress go to the context's reporter. Throws Error: input, usage,
/// resource (not enough memory, before allocating), cancelled.
Reconstruction reconstruct(Scan scan, const ReconstructOptions& options, Context& ctx);

/// Bytes that reconstruct() will need at its peak, what the process holds already included. Throws Error
/// (resource) when that does not fit the context's limit.
MemoryPlan plan_memory(const Scan& scan, const ScanPlan& plan, const ReconstructOptions& options,
                       Context& ctx);

struct EstimatedMaps {
  Array<std::complex<float>> maps;  ///< [coils, (z,) y, x] in the scan's channels on the solve grid, rss 1 or
                                    ///< 0; [(slices,) (sets,) coils, (z,) y, x] when there are several
  ScanPlan plan;
  ChannelPlan channels;
};
/// The maps that reconstruct() would use.
EstimatedMaps estimate_maps(Scan scan, const ReconstructOptions& options, Context& ctx);

struct EstimatedDensity {
  Array<double> weights;  ///< one for every imaging sample in the file's order (dropped samples: 0), or of
                          ///< one image when all images share one trajectory
  ScanPlan plan;
};
/// The density weights of options.density (automatic: pipe), usable as PrepareOptions::weights.
EstimatedDensity estimate_density(const Scan& scan, const ReconstructOptions& options, Context& ctx);

const char* to_string(SolverKind solver);
const char* to_string(Combine combine);
const char* to_string(Calibration calibration);
const char* to_string(DensityKind density);

}  // namespace larmor
