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

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace LARMOR_API larmor {

// What reconstruct() is told, one group a step. Views are borrowed for the length of the call.

/// sense: one image by the coil model; rss: root sum of squares of the coils' images; none: the coils'
/// images.
enum class Combine { sense, rss, none };
/// How coil maps are estimated; none: not at all, for scans of one channel.
enum class Calibration { espirit, walsh, nlinv, none };
/// What readouts that are flagged as calibration alone are: samples for the coil maps, of the image too, or
/// automatically what select_scan() finds.
enum class CalibrationReadouts { automatic, maps, image };
/// Where density weights come from.
enum class DensityKind { automatic, pipe, analytic, voronoi, none, given };
/// Constraint of images to a smooth phase, taken from the centre of k-space, times real numbers
/// (mri/model/phase_constraint.hpp). automatic: for each image, if it predicts held-out readouts better
/// (cross_validate_phase()).
enum class PhaseConstraint { off, automatic, on };
/// Arithmetic of transforms and solvers.
enum class Precision { single_precision, double_precision };

/// Which frames make a series that is solved for as one; none of them: images one by one. See SeriesChoice.
struct FrameOptions {
  std::optional<FrameWindow> window = std::nullopt;
  View<const double> bins{};
  std::vector<Gate> gates{};  ///< bins that are found, see gated_bins(); empty: none
  /// Temporal basis [frames, coefficients], as given_subspace takes it: coefficient images are solved for.
  /// The frames are windows or bins, without these the images of a slice. Empty: none.
  View<const std::complex<double>> basis{};

  /// Whether frames are made of the readouts of images.
  bool divide_readouts() const { return window || bins.size() > 0 || !gates.empty(); }
};

/// What becomes of the coils.
struct CoilOptions {
  Combine combine = Combine::sense;
  Calibration calibration = Calibration::espirit;
  CalibrationReadouts calibration_readouts = CalibrationReadouts::automatic;
  /// Coil maps in the scan's original channels, [coils, (z,) y, x] of the recon or the solve grid (around the
  /// recon grid they are estimated from the data, so that nothing folds over that was sampled), or one
  /// such array a slice, [slices, coils, (z,) y, x]; empty: estimated. With sets > 1 the sets come before
  /// the coils: [(slices,) sets, coils, (z,) y, x].
  View<const std::complex<float>> maps{};
  /// Where these maps lie: of the volume, or of every slice. Maps that lie elsewhere than the images, or have
  /// another grid, are resampled, see placed_maps(). Empty: not known, so that the grids above are wanted.
  std::vector<ImageGeometry> maps_geometry{};
  /// Coil map sets, given or estimated (by ESPIRiT), each with an image of its own (soft SENSE, Uecker et al.
  /// 2014): images of the sets follow each other, told apart by their counter `set`.
  Index sets = 1;
  /// PrepareOptions::virtual_coils by geometric compression, slice by slice of a stack (Zhang et al. 2013).
  bool geometric_compression = false;
};

/// How samples and images are transformed into each other.
struct FourierOptions {
  double tolerance = 1e-3;  ///< relative error of the non-uniform Fourier transform
  NormalOptions::Toeplitz toeplitz = NormalOptions::Toeplitz::automatic;
  /// How the transform of the samples is chosen; estimate: by the plan's own cost model. Not used where
  /// memory is short.
  TuneOptions tune{.level = TuneLevel::estimate};
};

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
  /// For an estimate of least error: the objective after each iteration until the noise is set anew, and the
  /// noise variance that they showed; 0: not yet.
  std::vector<double> objectives{};
  double noise_variance = 0;
};

/// How the problems are solved.
struct SolveOptions {
  /// One adjoint with density weights instead of a solver: the quick look. With a field map conjugate phase
  /// reconstruction (Maeda et al. 1988).
  bool gridding = false;
  Solver solver = Solver::automatic;
  /// The linear estimate of least expected error (LeastError in mri/reconstruct/steps/least_error.hpp): with
  /// density weights, the noise and the power that the data show, until it converges. For conjugate gradients
  /// without terms.
  bool automatic = false;
  std::vector<RegularizerSpec> regularizers{};  ///< at most one with an automatic λ
  std::vector<GivenPrior> priors{};             ///< of those terms that name one
  /// 0: 30 without terms; where every term is quadratic at most 400, and 30 by other solvers than conjugate
  /// gradients; at most 200 if automatic; otherwise at most 400
  Index iterations = 0;
  /// Stop when the estimated distance from the minimum, relative to it, falls below (not for lsmr, nor
  /// conjugate gradients without a Tikhonov term). 0: converged_distance, or near_minimum with terms that are
  /// not quadratic, where iterations are not given, otherwise exactly `iterations`.
  double distance = 0;
  double tolerance = 0;  ///< stop when ‖gradient‖/‖Aᴴy‖ falls below; 0: exactly `iterations`
  Precision precision = Precision::single_precision;
  /// Is handed the state after every checkpoint_every iterations (0: never), between iterations.
  std::function<void(SavedState)> checkpoint{};
  Index checkpoint_every = 0;
  /// Where to go on, to the same bits as without a break; problems solved before that one are solved again.
  const SavedState* resume = nullptr;
};

/// What is written.
struct OutputOptions {
  ImageKind kind = ImageKind::magnitude;
  Index replicas = 0;        ///< pseudo replicas for the maps of QualityMaps; 0: none
  std::uint64_t seed = 1;    ///< of their noise
  bool first_model = false;  ///< also Reconstruction::first_model
};

/// Parts of the work that ranks share out. automatic: images, or frames, or coils, whichever there are enough
/// of.
enum class Split { automatic, frames, coils };
/// Whether several processes work on one reconstruction.
struct RankOptions {
  /// Through which they exchange what they have; null: this process works alone.
  std::shared_ptr<Communicator> communicator{};
  Split split = Split::automatic;
};

struct Protocol;

/// Everything that reconstruct() is told.
struct ReconstructOptions {
  PrepareOptions prepare{};  ///< select: which readouts, in what units, on which grids
  FrameOptions frames{};     ///< plan
  CoilOptions coils{};       ///< calibrate
  /// weigh. automatic: none for iterations with a coil model unless a λ or the solution of least error is
  /// found; otherwise the file's weights when it has some, or pipe. given: PrepareOptions::weights, or the
  /// file's.
  DensityKind density = DensityKind::automatic;
  /// model: off-resonance in Hz with R2* and weight beside it, as field_on_solve_grid takes them; empty:
  /// none.
  FieldMap field{};
  FourierOptions transform{};  ///< model
  /// model: for partial Fourier and half echoes.
  PhaseConstraint phase_constraint = PhaseConstraint::off;
  SolveOptions solve{};
  OutputOptions output{};  ///< write back
  RankOptions ranks{};
  /// Results that scans of one protocol share in a process (steps/protocol.hpp); null: none.
  std::shared_ptr<Protocol> protocol{};
};

/// From the minimum, relative to it, that makes no difference to an image.
inline constexpr double converged_distance = 2e-3;
/// The same with terms that are not quadratic, whose last digits take long.
inline constexpr double near_minimum = 1e-2;

/// Iterations of the solver, or what 0 stands for.
Index iterations_of(const SolveOptions& options);
/// Whether a term couples frames (total variation in time, low rank).
bool has_frame_term(const SolveOptions& options);
/// Whether the solution is linear in the data.
bool all_quadratic(const SolveOptions& options);
/// True where a term's λ is found from the data.
bool finds_lambda(const SolveOptions& options);
/// Whether the objective is sure to have no density weights.
bool without_density(const ReconstructOptions& options);

/// "none", or the terms as they may be given again, joined by " + ".
std::string to_string(const std::vector<RegularizerSpec>& specs);
/// As the command spells them.
const char* to_string(Combine combine);
const char* to_string(Calibration calibration);
const char* to_string(DensityKind density);
const char* to_string(Split split);

}  // namespace larmor
