#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/data/field_map.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/scan/frames.hpp>
#include <larmor/mri/scan/gating.hpp>
#include <larmor/mri/scan/prepare.hpp>
#include <larmor/operators/nufft/tune/tuner.hpp>
#include <larmor/solvers/problem/options.hpp>
#include <larmor/solvers/regularizers/registry.hpp>
#include <larmor/solvers/solve.hpp>

#include <complex>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace LARMOR_API larmor {

// Options of reconstruct(), one group per step. Views are borrowed for the length of the call.

/// sense: one image by the coil model; rss: root sum of squares of the coils' images; none: the coils'
/// images.
enum class Combine { sense, rss, none };
/// Method of estimating coil maps; none: no maps, for scans of one channel.
enum class Calibration { espirit, walsh, nlinv, none };
/// Use of readouts flagged as calibration only: as samples for the coil maps, also for the image, or as
/// select_scan() decides.
enum class CalibrationReadouts { automatic, maps, image };
/// Source of density weights.
enum class DensityKind { automatic, pipe, analytic, voronoi, none, given };
/// Constraint of images to a smooth phase, taken from the centre of k-space, times real numbers
/// (mri/model/phase_constraint.hpp). automatic: for each image, if it lowers the expected error, by held-out
/// readouts (cross_validate_phase()).
enum class PhaseConstraint { off, automatic, on };
/// Filter of the written images in k-space against Gibbs ringing. hann: cos²(πk), k in cycles/pixel along
/// each axis, which falls to 0 at the edge of k-space.
enum class KspaceFilter { none, hann };
/// Arithmetic of transforms and solvers.
enum class Precision { single_precision, double_precision };

/// Frames of a series that is solved as one problem; without any, images are solved one by one. See
/// SeriesChoice.
struct FrameOptions {
  std::optional<FrameWindow> window = std::nullopt;
  View<const double> bins{};
  std::vector<Gate> gates{};  ///< bins that are found, see gated_bins(); empty: none
  /// Temporal basis [frames, coefficients], see given_subspace: the unknowns are coefficient images. The
  /// frames are windows or bins; without these, the images of a slice. Empty: none.
  View<const std::complex<double>> basis{};

  /// True if the readouts of an image are divided into frames.
  bool divide_readouts() const { return window || bins.size() > 0 || !gates.empty(); }
};

/// Processing of the coils.
struct CoilOptions {
  Combine combine = Combine::sense;
  Calibration calibration = Calibration::espirit;
  CalibrationReadouts calibration_readouts = CalibrationReadouts::automatic;
  /// Coil maps in the scan's original channels, [coils, (z,) y, x] of the recon or the solve grid, or one
  /// such array per slice, [slices, coils, (z,) y, x]; empty: estimated. For maps of the recon grid, the
  /// surroundings are estimated from the data, so that no sampled signal aliases. With sets > 1 the sets come
  /// before the coils: [(slices,) sets, coils, (z,) y, x].
  View<const std::complex<float>> maps{};
  /// Position of these maps: of the volume, or of every slice. Maps at other positions, or on another grid,
  /// are resampled, see placed_maps(). Empty: unknown; then the grids above are required.
  std::vector<ImageGeometry> maps_geometry{};
  /// Number of coil map sets, given or estimated (by ESPIRiT), each with its own image (soft SENSE, Uecker et
  /// al. 2014): images of the sets are consecutive and have different `set` counters.
  Index sets = 1;
};

/// Options of the transform between samples and images.
struct FourierOptions {
  double tolerance = 1e-3;  ///< relative error of the non-uniform Fourier transform
  NormalOptions::Toeplitz toeplitz = NormalOptions::Toeplitz::automatic;
  /// Method of choosing the transform; estimate: the plan's own cost model. Ignored if memory is short.
  TuneOptions tune{.level = TuneLevel::estimate};
};

/// The image for a term's parameter prior=FILE.
struct GivenPrior {
  std::string file;
  /// In the units of the written images: [(frames, coefficients or coils,) (z,) y, x] of the recon or the
  /// solve grid, for every image or series of the scan, or one such array for each of them, in order.
  View<const std::complex<float>> image;
};

/// Recognises the data of an image by Aᴴy.
struct DataMark {
  double norm = 0;
  std::complex<double> sum;  ///< of its pixels with fixed random signs
};

/// State of a reconstruction between two iterations of its solver.
struct SavedState {
  Index image = 0;    ///< index of the problem (image or series)
  std::string terms;  ///< as written by to_string(), with the λ that was found
  DataMark data;
  std::variant<Checkpoint<float>, Checkpoint<double>> solver;  ///< by precision
  /// For an estimate of least error: the objective after each iteration until the noise variance is updated,
  /// and the noise variance estimated from them; 0: not yet.
  std::vector<double> objectives{};
  double noise_variance = 0;
};

/// Options of the solution.
struct SolveOptions {
  /// One adjoint with density weights instead of a solver, for a quick look. With a field map, conjugate
  /// phase reconstruction (Maeda et al. 1988).
  bool gridding = false;
  Solver solver = Solver::automatic;
  /// The linear estimate of least expected error (LeastError in mri/reconstruct/steps/least_error.hpp): with
  /// density weights, and with noise and power estimated from the data, until it converges. For conjugate
  /// gradients without terms.
  bool automatic = false;
  std::vector<RegularizerSpec> regularizers{};  ///< at most one with an automatic λ
  std::vector<GivenPrior> priors{};             ///< priors of the terms that name one
  /// 0: 30 without terms; with only quadratic terms at most 400, but 30 for solvers other than conjugate
  /// gradients; at most 200 if automatic; otherwise at most 400
  Index iterations = 0;
  /// Stop when the estimated distance from the minimum, relative to it, is below this value (not for lsmr,
  /// nor for conjugate gradients without a Tikhonov term). 0: converged_distance, or near_minimum with terms
  /// that are not quadratic, if `iterations` is 0; otherwise exactly `iterations`.
  double distance = 0;
  double tolerance = 0;  ///< stop when ‖gradient‖/‖Aᴴy‖ is below this value; 0: exactly `iterations`
  Precision precision = Precision::single_precision;
  /// Receives the state after every checkpoint_every iterations (0: never).
  std::function<void(SavedState)> checkpoint{};
  Index checkpoint_every = 0;
  /// State from which to continue, giving the same bits as without interruption; problems before it are
  /// solved again.
  const SavedState* resume = nullptr;
};

/// Options of the output.
struct OutputOptions {
  ImageKind kind = ImageKind::magnitude;
  KspaceFilter filter = KspaceFilter::none;
  Index replicas = 0;        ///< pseudo replicas for the maps of QualityMaps; 0: none
  std::uint64_t seed = 1;    ///< seed of their noise
  bool first_model = false;  ///< also Reconstruction::first_model
};

/// Dimension that is divided among ranks. automatic: images, frames, or coils, whichever is numerous enough.
enum class Split { automatic, frames, coils };
/// Options for several processes that work on one reconstruction.
struct RankOptions {
  /// Ranks among which data are exchanged; null: this process works alone.
  std::shared_ptr<Communicator> communicator{};
  Split split = Split::automatic;
};

struct Protocol;

/// All options of reconstruct().
struct ReconstructOptions {
  PrepareOptions prepare{};  ///< select: which readouts, in what units, on which grids
  FrameOptions frames{};     ///< plan
  CoilOptions coils{};       ///< calibrate
  /// weigh. automatic: none for iterations with a coil model, unless λ or the solution of least error is to
  /// be found; otherwise the file's weights if it has some, or pipe. given: PrepareOptions::weights, or the
  /// file's.
  DensityKind density = DensityKind::automatic;
  /// model: off-resonance in Hz with R2* and weight, see field_on_solve_grid; empty: none.
  FieldMap field{};
  FourierOptions transform{};  ///< model
  /// model: for partial Fourier and asymmetric echoes.
  PhaseConstraint phase_constraint = PhaseConstraint::off;
  SolveOptions solve{};
  OutputOptions output{};  ///< write back
  RankOptions ranks{};
  /// Results shared by scans of one protocol in this process (steps/protocol.hpp); null: none.
  std::shared_ptr<Protocol> protocol{};
};

/// Distance from the minimum, relative to it, that has no visible effect on an image.
inline constexpr double converged_distance = 2e-3;
/// The same with terms that are not quadratic, whose last digits take long.
inline constexpr double near_minimum = 1e-2;

/// Number of the solver's iterations, with 0 resolved.
Index iterations_of(const SolveOptions& options);
/// True if a term couples frames (total variation in time, low rank).
bool has_frame_term(const SolveOptions& options);
/// True if the solution is linear in the data.
bool all_quadratic(const SolveOptions& options);
/// True if a term's λ is to be found from the data.
bool finds_lambda(const SolveOptions& options);
/// True if the objective certainly has no density weights.
bool without_density(const ReconstructOptions& options);

/// "none", or the terms in the form in which they can be given again, joined by " + ".
std::string to_string(const std::vector<RegularizerSpec>& specs);
/// As the command spells them.
const char* to_string(Combine combine);
const char* to_string(Calibration calibration);
const char* to_string(DensityKind density);
const char* to_string(Split split);

}  // namespace larmor
