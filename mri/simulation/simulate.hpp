#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/data/scan.hpp>
#include <larmor/core/export.hpp>
#include <larmor/core/vectors/shared_array.hpp>
#include <larmor/mri/simulation/objects.hpp>
#include <larmor/mri/trajectory/trajectories.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <vector>

namespace LARMOR_API larmor {

enum class SimulatedTrajectory {
  radial,
  spiral,
  kooshball,
  stack_of_stars,
  rotated_stack_of_stars,
  cartesian
};

/// Parameters of a simulated scan.
struct SimulationOptions {
  SimulatedTrajectory trajectory = SimulatedTrajectory::radial;
  /// Image matrix x, y, z. Radial and spiral scans have z = 1, kooshball and stack of stars more, Cartesian
  /// either.
  std::array<Index, 3> matrix{128, 128, 1};
  /// Millimetres; 0: 240 in plane, and for z the pixel size times the matrix, or 5 for a single slice.
  Vec3 fov_mm{0, 0, 0};
  Index coils = 8;
  /// Spokes (per partition of a stack) or interleaves; 0: as many spokes as the matrix has pixels along x,
  /// its square over eight for a kooshball, 16 interleaves. Cartesian scans have one readout for each line.
  Index readouts = 0;
  /// Per readout; 0: twice the matrix for full spokes, the matrix for centre-out ones. Ignored for spirals
  /// and Cartesian lines.
  Index samples = 0;
  SpokeOrder order = SpokeOrder::golden;
  /// Standard deviation of the complex noise that a fully sampled Cartesian scan of this matrix would show in
  /// the image of one coil, relative to the largest value of the true image. 0: no noise and no noise
  /// readout.
  double noise = 0.01;
  std::uint64_t seed = 1;
  bool maps = true;  ///< return the true maps
  SimulatedObject object = SimulatedObject::head;
  /// Sampled fraction of k-space, 0.5 to 1: the last samples of each spoke (asymmetric echoes), or the last
  /// lines of a Cartesian scan (partial Fourier).
  double partial_fourier = 1;
  /// A smooth phase of the object, in radians: a wave of this amplitude and 0.8 cycles per field of view.
  double phase = 0;
  /// Off-resonance in Hz: the same wave with this amplitude. It acts at every echo time and during readouts.
  double field_hz = 0;
  /// Number of slices that are excited together, from the centre of the three-dimensional object upwards. For
  /// radial, spiral and Cartesian scans in a plane.
  Index bands = 1;
  /// Band b has the factor exp(−2πi b n / caipi) in readout n; 0: `bands`.
  double caipi = 0;
  /// Measures each band separately before, by readouts flagged as calibration.
  bool references = false;
  /// For SimulatedObject::tubes: groups of consecutive readouts of equal number belong to the frames of this
  /// sequence (contrasts), in which each tube has the brightness of its signal. The truth is then [frames,
  /// …].
  std::optional<SignalModel> signal{};
  /// Motion of SimulatedObject::chest between readouts, which are 5 ms apart; physiology time stamps count
  /// from the R wave, and there are waveforms of ECG and respiration. The truth is the chest at the
  /// beginning.
  std::optional<ChestMotion> chest{};
  /// Rigid motion of the object, [shots, 6]: translations x, y, z in mm, rotations about x, y, z in degrees,
  /// of which only that about z is simulated, of equal numbers of consecutive readouts. The coils do not
  /// move.
  SharedArray<double> motion{};
  /// Response of the gradients, as GradientResponse takes it: samples are taken where it moves them, with the
  /// phase of its uniform field, and the scan has the requested trajectory.
  SharedArray<std::complex<double>> gradient_response{};
  /// Cartesian lines become one echo train: odd ones run backwards, all are sampled twice as densely and on
  /// their ramps, and three navigators come first. Eddy currents displace the samples of those that run
  /// backwards by `shift` cycles per field of view, and turn their phase by `phase` radians, by up to 0.2
  /// more or less in single channels.
  struct EchoTrain {
    double phase = 0, shift = 0;
  };
  std::optional<EchoTrain> echo_train{};
  /// Milliseconds, one for each contrast; empty: one contrast, whose echo is at time 0.
  std::vector<double> echo_times_ms{};
};

/// A scan and its true image.
struct Simulation {
  Scan scan;                         ///< with a noise readout first, flagged as such, at another dwell time
  Array<std::complex<float>> truth;  ///< [(frames or bands,) (z,) y, x], see Phantom::truth
  Array<std::complex<float>>
      maps;            ///< the true maps in the scan's channels, [(bands,) coils, (z,) y, x], rss 1
  Array<float> field;  ///< the true off-resonance in Hz, [(z,) y, x]
};

/// A scan of the object whose samples are the closed-form transform at the trajectory's points, with noise
/// that is correlated between channels. The same seed always gives the same noise. Throws Error (usage) for
/// matrices and counts that do not suit the trajectory.
Simulation simulate_scan(const SimulationOptions& options, Context& ctx);

}  // namespace larmor
