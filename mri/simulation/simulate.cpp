#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/mri/coils/noise.hpp>
#include <larmor/mri/simulation/phantom.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/mri/trajectory/gradient_response.hpp>
#include <larmor/mri/trajectory/spiral.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

namespace larmor {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

constexpr double imaging_dwell_us = 2.5;
constexpr double noise_dwell_over_imaging = 2;
constexpr double noise_bandwidth = 0.793;
constexpr Index noise_samples = 16384;
constexpr Index ticks_per_readout = 2;
// Limit of the phase, for which the series below converges.
constexpr double most_phase = 10;
constexpr double most_echo_ms = 1000;
constexpr std::array<double, 3> phase_frequency{0.64, 0.48, 0};  // cycles per field of view
constexpr Index most_samples = 65535;                            // number_of_samples is a 16-bit field

// Complex normal numbers of unit variance, E|n|² = 1, from the bits of std::mt19937_64. The transform (Box &
// Muller 1958) is spelled out, because the standard leaves its distributions open. Only the recurrence of the
// engine is sequential: threads share the rest.
class ComplexNormal {
 public:
  explicit ComplexNormal(std::uint64_t seed) : words_(Engine::state_size) {
    words_[0] = seed;
    for (std::size_t i = 1; i < words_.size(); ++i)
      words_[i] = Engine::initialization_multiplier * (words_[i - 1] ^ (words_[i - 1] >> 62)) + i;
  }
  /// Makes operator[] give the next `count` numbers.
  void draw(Index count) {
    constexpr std::uint64_t lower = (std::uint64_t{1} << Engine::mask_bits) - 1;
    std::shift_left(words_.begin(), words_.end(), std::ssize(words_) - std::ptrdiff_t{Engine::state_size});
    words_.resize(Engine::state_size + 2 * static_cast<std::size_t>(count));
    std::uint64_t* const words = words_.data();
    for (std::size_t i = Engine::state_size, size = words_.size(); i < size; ++i) {
      const std::uint64_t* const oldest = words + (i - Engine::state_size);
      const std::uint64_t both = (oldest[0] & ~lower) | (oldest[1] & lower);
      words[i] = oldest[Engine::shift_size] ^ (both >> 1) ^ (-(both & 1) & Engine::xor_mask);
    }
  }
  Complex operator[](Index i) const {
    const auto at = Engine::state_size + 2 * static_cast<std::size_t>(i);
    return std::polar(std::sqrt(-std::log(uniform(words_[at]))), 2 * pi * uniform(words_[at + 1]));
  }

 private:
  using Engine = std::mt19937_64;
  // In (0, 1].
  static double uniform(std::uint64_t word) {
    word ^= (word >> Engine::tempering_u) & Engine::tempering_d;
    word ^= (word << Engine::tempering_s) & Engine::tempering_b;
    word ^= (word << Engine::tempering_t) & Engine::tempering_c;
    word ^= word >> Engine::tempering_l;
    return (static_cast<double>(word >> 11) + 1) * 0x1p-53;
  }
  std::vector<std::uint64_t> words_;  // of the engine before tempering: its state, then those of the numbers
};

// Unequal gains and a coupling to the previous channel: Ψ = M Mᴴ, mean variance 1.
Array<Complex> noise_mixing(Index channels) {
  Array<Complex> mixing = filled<Complex>({channels, channels}, 0.0);
  double variance = 0;
  for (Index c = 0; c < channels; ++c) {
    const double gain = 1 + 0.4 * std::cos(2.4 * static_cast<double>(c));
    mixing[c * channels + c] = gain;
    if (c > 0) mixing[c * channels + c - 1] = std::polar(0.35 * gain, static_cast<double>(c));
    variance += gain * gain * (c > 0 ? 1 + 0.35 * 0.35 : 1);
  }
  const double factor = std::sqrt(static_cast<double>(channels) / variance);
  for (auto& entry : mixing) entry *= factor;
  return mixing;
}

// Adds σ M n to `count` samples of each channel, which are `stride` apart; `drawn`: the first of n, channel
// fastest.
void add_noise(std::complex<float>* data, Index channels, Index stride, Index count,
               const Array<Complex>& mixing, double sigma, const ComplexNormal& normal, Index drawn) {
  for (Index j = 0; j < count; ++j) {
    Complex previous = 0;
    for (Index c = 0; c < channels; ++c) {
      const Complex number = normal[drawn++];
      Complex sum = mixing[c * channels + c] * number;
      if (c > 0) sum += mixing[c * channels + c - 1] * previous;
      data[c * stride + j] += std::complex<float>(sigma * sum);
      previous = number;
    }
  }
}

// Readout r of signals [coils, readouts * samples] as [coils][samples].
void store(const Array<Complex>& signal, Index r, Index samples, std::complex<float>* data) {
  const Index coils = signal.shape()[0], length = signal.shape()[1];
  for (Index c = 0; c < coils; ++c)
    for (Index j = 0; j < samples; ++j)
      data[c * samples + j] = std::complex<float>(signal[c * length + r * samples + j]);
}

bool is_stack(SimulatedTrajectory trajectory) {
  return trajectory == SimulatedTrajectory::stack_of_stars ||
         trajectory == SimulatedTrajectory::rotated_stack_of_stars;
}

bool is_volume(SimulatedTrajectory trajectory, Index partitions) {
  switch (trajectory) {
    case SimulatedTrajectory::radial:
    case SimulatedTrajectory::spiral:
      return false;
    case SimulatedTrajectory::kooshball:
    case SimulatedTrajectory::stack_of_stars:
    case SimulatedTrajectory::rotated_stack_of_stars:
      return true;
    case SimulatedTrajectory::cartesian:
      return partitions > 1;
  }
  throw internal_error("unknown simulated trajectory");
}

SimulationOptions completed(SimulationOptions options) {
  auto& [x, y, z] = options.matrix;
  for (Index extent : options.matrix)
    if (extent < 1 || extent > most_samples)
      throw usage_error("simulated matrix {} x {} x {}, expected 1 to {} along each axis", x, y, z,
                        most_samples);
  if (x < 8 || y < 8)
    throw usage_error("simulated matrix {} x {} x {}, expected at least 8 x 8 in plane", x, y, z);
  const bool volume = is_volume(options.trajectory, z);
  if (!volume && z > 1)
    throw usage_error(
        "radial and spiral scans are two-dimensional, but the matrix has {} along z: choose stack-of-stars "
        "or kooshball, or z = 1",
        z);
  if (volume && z < 2)
    throw usage_error(
        "three-dimensional trajectory with {} along z: give a matrix x,y,z with z of at least 2", z);
  if (options.bands < 1 || options.bands > 64 || (volume && options.bands > 1))
    throw usage_error(
        "{} simulated bands, expected 1 to 64 slices of a radial, spiral or Cartesian scan in a "
        "plane",
        options.bands);
  if (options.bands == 1 && (options.caipi != 0 || options.references))
    throw usage_error("phases and references are for several bands only");
  if (options.bands > 1 && (options.phase != 0 || options.field_hz != 0))
    throw usage_error("{} bands are simulated without a smooth phase and without off-resonance",
                      options.bands);
  if (options.signal.has_value() != (options.object == SimulatedObject::tubes))
    throw usage_error("tubes and a signal model belong together: their T1 and T2 need a sequence");
  if (options.signal && (options.bands > 1 || options.echo_times_ms.size() > 1))
    throw usage_error("a signal model is simulated without bands and without several echo times");
  if (options.chest && (options.object != SimulatedObject::chest || options.bands > 1))
    throw usage_error("beats and breaths are simulated for the chest only, without bands");
  if (options.echo_train && (options.trajectory != SimulatedTrajectory::cartesian || z > 1 || options.signal))
    throw usage_error(
        "an echo train is simulated for Cartesian lines of a slice only, without a signal model");
  if (const Shape& shots = options.motion.shape(); options.motion.size() > 0) {
    if (shots.rank() != 2 || shots[1] != 6)
      throw usage_error("motion of shape {}, expected [shots, 6]", shots.to_string());
    if (options.bands > 1 || options.signal || options.chest || x != y)
      throw usage_error(
          "rigid motion is simulated for a square matrix only, without bands, signals and the chest");
  }
  if (options.coils < 1 || options.coils > 1024)
    throw usage_error("{} simulated coils, expected 1 to 1024", options.coils);
  if (options.readouts < 0 || options.samples < 0)
    throw usage_error("simulated scan with {} readouts of {} samples, expected positive numbers",
                      options.readouts, options.samples);
  if (!(options.noise >= 0) || !std::isfinite(options.noise))
    throw usage_error("simulated noise {}, expected a number that is not negative", options.noise);
  for (double fov : options.fov_mm)
    if (!(fov >= 0) || !std::isfinite(fov))
      throw usage_error("simulated field of view {} mm, expected a positive number", fov);

  if (!(options.partial_fourier >= 0.5 && options.partial_fourier <= 1))
    throw usage_error("simulated part {} of k-space, expected 0.5 to 1", options.partial_fourier);
  if (options.partial_fourier < 1 && (options.trajectory == SimulatedTrajectory::spiral ||
                                      options.trajectory == SimulatedTrajectory::kooshball))
    throw usage_error(
        "spirals and kooshballs start at the centre of k-space and have no partial Fourier: simulate spokes "
        "through the centre or Cartesian lines");
  if (!(std::abs(options.phase) <= most_phase))
    throw usage_error("simulated phase of {} radians, expected at most {}", options.phase, most_phase);
  if (constexpr double most_hz = 0.5e6 / imaging_dwell_us; !(std::abs(options.field_hz) <= most_hz))
    throw usage_error(
        "simulated off-resonance of {} Hz, expected at most {}, half of the readouts' bandwidth",
        options.field_hz, most_hz);
  for (const double time : options.echo_times_ms)
    if (!(time >= 0 && time <= most_echo_ms))
      throw usage_error("simulated echo time of {} ms, expected 0 to {}", time, most_echo_ms);

  if (options.caipi == 0) options.caipi = static_cast<double>(options.bands);
  auto& fov = options.fov_mm;
  if (fov[0] == 0) fov[0] = 240;
  if (fov[1] == 0) fov[1] = fov[0] / static_cast<double>(x) * static_cast<double>(y);
  if (fov[2] == 0) fov[2] = volume ? fov[0] / static_cast<double>(x) * static_cast<double>(z) : 5;
  const bool kooshball = options.trajectory == SimulatedTrajectory::kooshball;
  if (options.readouts == 0) {
    options.readouts = kooshball ? std::max<Index>(1, x * x / 8) : x;
    if (options.trajectory == SimulatedTrajectory::spiral) options.readouts = 16;
  }
  if (options.samples == 0) options.samples = kooshball ? x : 2 * x;
  return options;
}

Trajectory make_trajectory(const SimulationOptions& options, const Shape& shape) {
  const RadialOptions spokes{.spokes = options.readouts, .samples = options.samples, .order = options.order};
  switch (options.trajectory) {
    case SimulatedTrajectory::radial:
      return radial_2d(spokes);
    case SimulatedTrajectory::spiral: {
      return variable_density_spiral({.fov_mm = options.fov_mm[0],
                                      .matrix = std::max(options.matrix[0], options.matrix[1]),
                                      .interleaves = options.readouts,
                                      .dwell_us = imaging_dwell_us});
    }
    case SimulatedTrajectory::kooshball:
      return kooshball_3d(options.readouts, options.samples);
    case SimulatedTrajectory::stack_of_stars:
      return stack_of_stars(spokes, options.matrix[2]);
    case SimulatedTrajectory::rotated_stack_of_stars:
      return rotated_stack_of_stars(spokes, options.matrix[2]);
    case SimulatedTrajectory::cartesian:
      return cartesian_points(shape);
  }
  throw internal_error("unknown simulated trajectory");
}

// The first sampled line of a Cartesian partition, or sample of a spoke.
Index first_taken(const SimulationOptions& options, Index count) {
  return std::lround((1 - options.partial_fourier) * static_cast<double>(count));
}

// The Cartesian line at the centre of k-space; spokes have none.
Index centre_step_1(const SimulationOptions& options) {
  return options.trajectory == SimulatedTrajectory::cartesian ? options.matrix[1] / 2 : 0;
}

Trajectory without_one_side(Trajectory whole, const SimulationOptions& options) {
  const bool lines = options.trajectory == SimulatedTrajectory::cartesian;
  const Index dims = whole.k.shape()[1], all = whole.samples_per_readout,
              first = first_taken(options, lines ? options.matrix[1] : all);
  if (first == 0) return whole;
  std::vector<double> k;
  Trajectory part;
  part.dwell_us = whole.dwell_us;
  part.samples_per_readout = lines ? all : all - first;
  for (Index r = 0; r < whole.readouts; ++r) {
    if (lines && r % options.matrix[1] < first) continue;
    ++part.readouts;
    const double* begin = whole.k.data() + (r * all + (lines ? 0 : first)) * dims;
    k.insert(k.end(), begin, begin + part.samples_per_readout * dims);
  }
  part.k = Array<double>({part.readouts * part.samples_per_readout, dims});
  std::copy(k.begin(), k.end(), part.k.begin());
  return part;
}

constexpr Index navigators = 3;

bool is_navigator(const SimulationOptions& options, Index readout) {
  return options.echo_train && readout < navigators;
}
// Navigators run forwards, backwards, forwards; so do the lines after them.
bool runs_backwards(const SimulationOptions& options, Index readout) {
  return options.echo_train && (readout < navigators ? readout : readout - navigators) % 2 == 1;
}

// Lines as a trapezoidal gradient samples them, its ramps a sixth each of the time, behind the navigators.
Trajectory with_ramps(const Trajectory& lines, const SimulationOptions& options) {
  constexpr double ramp = 1.0 / 6;
  const Index samples = 2 * lines.samples_per_readout;
  Trajectory train;
  train.dwell_us = lines.dwell_us;
  train.samples_per_readout = samples;
  train.readouts = lines.readouts + navigators;
  train.k = Array<double>({train.readouts * samples, 2});
  for (Index r = 0; r < train.readouts; ++r)
    for (Index j = 0; j < samples; ++j) {
      const double time = (static_cast<double>(j) + 0.5) / static_cast<double>(samples),
                   late = std::max(0.0, time - 1 + ramp);
      const double area =
          (time < ramp ? 0.5 * time * time / ramp : time - 0.5 * ramp - 0.5 * late * late / ramp) /
          (1 - ramp);
      double* k = train.k.data() + 2 * (r * samples + j);
      k[0] = runs_backwards(options, r) ? 0.5 - area : area - 0.5;
      k[1] = r < navigators ? 0 : lines.k[2 * (r - navigators) * lines.samples_per_readout + 1];
    }
  return train;
}

// exp(iφ(x)) with φ = a sin 2πf·x as a sum of coil sensitivities: exp(ia sin θ) = Σ J_n(a) exp(inθ) (Jacobi
// and Anger).
std::vector<CoilSensitivity> with_phase(const std::vector<CoilSensitivity>& coils, double amplitude) {
  constexpr double negligible = 1e-7;
  if (amplitude == 0) return coils;
  std::vector<CoilSensitivity> result;
  for (const CoilSensitivity& coil : coils) {
    CoilSensitivity& sum = result.emplace_back();
    for (const SensitivityTerm& term : coil)
      for (int n = 0; n < 2 || jn(n, std::abs(amplitude)) > negligible || n < std::abs(amplitude); ++n)
        for (const int sign : {1, -1}) {
          if (n == 0 && sign < 0) continue;
          // J₋ₙ(a) = Jₙ(−a) = (−1)ⁿ Jₙ(a)
          const bool negative = n % 2 == 1 && (sign < 0) != (amplitude < 0);
          SensitivityTerm turned = term;
          turned.amplitude *= (negative ? -1 : 1) * jn(n, std::abs(amplitude));
          for (std::size_t axis = 0; axis < 3; ++axis)
            turned.frequency[axis] += sign * n * phase_frequency[axis];
          sum.push_back(turned);
        }
  }
  return result;
}

// sin 2πf·x at a pixel.
double wave_at(const Shape& shape, Index pixel) {
  double cycles = 0;
  for (int axis = shape.rank(), column = 0; axis-- > 0; pixel /= shape[axis], ++column)
    cycles += phase_frequency[static_cast<std::size_t>(column)] *
              static_cast<double>(pixel % shape[axis] - shape[axis] / 2) / static_cast<double>(shape[axis]);
  return std::sin(2 * pi * cycles);
}

Array<float> waves(const Shape& shape, double amplitude, const Context& ctx) {
  Array<float> result(shape);
  parallel_for(ctx, result.size(), 4096, [&](Index begin, Index end, int) {
    for (Index p = begin; p < end; ++p) result[p] = static_cast<float>(amplitude * wave_at(shape, p));
  });
  return result;
}

// Maps are those of the coils alone; the phase belongs to the image.
void move_phase_to_image(Simulation& simulation, double amplitude, const Shape& shape, const Context& ctx) {
  const Index pixels = shape.size();
  parallel_for(ctx, pixels, 4096, [&](Index begin, Index end, int) {
    for (Index p = begin; p < end; ++p) {
      const auto phase = std::complex<float>(std::polar(1.0, amplitude * wave_at(shape, p)));
      for (Index at = p; at < simulation.truth.size(); at += pixels) simulation.truth[at] *= phase;
      for (Index at = p; at < simulation.maps.size(); at += pixels) simulation.maps[at] *= std::conj(phase);
    }
  });
}

// Position of a band, as a fraction of the field of view: only from the centre upwards, because the object is
// symmetric.
double height_of(const SimulationOptions& options, Index band) {
  constexpr double of_object = 0.4;
  return of_object * static_cast<double>(band) / static_cast<double>(options.bands);
}

double band_distance_mm(const SimulationOptions& options) {
  return options.bands > 1 ? (height_of(options, 1) - height_of(options, 0)) * options.fov_mm[0] : 0;
}

const char* ismrmrd_name(const SimulationOptions& options) {
  switch (options.trajectory) {
    case SimulatedTrajectory::spiral:
      return "spiral";
    case SimulatedTrajectory::kooshball:
      return "other";
    case SimulatedTrajectory::cartesian:
      return options.echo_train ? "epi" : "cartesian";
    default:
      return options.order == SpokeOrder::uniform ? "radial" : "goldenangle";
  }
}

ReadoutHeader readout_header(Index number, Index samples, Index coils, double dwell_us) {
  ReadoutHeader header;
  header.scan_counter = static_cast<std::uint32_t>(number);
  header.acquisition_time_stamp = static_cast<std::uint32_t>(ticks_per_readout * number);
  header.samples = static_cast<std::uint16_t>(samples);
  header.available_channels = header.active_channels = static_cast<std::uint16_t>(coils);
  header.sample_time_us = static_cast<float>(dwell_us);
  header.read_dir = {1, 0, 0};
  header.phase_dir = {0, 1, 0};
  header.slice_dir = {0, 0, 1};
  return header;
}

Index frames_of(const SimulationOptions& options) {
  return options.signal ? options.signal->frames() : 1;
}

// The objects of all bands or frames.
std::vector<std::vector<PhantomPart>> objects_of(const SimulationOptions& options, int dims) {
  std::vector<std::vector<PhantomPart>> objects;
  for (Index b = 0; options.bands > 1 && b < options.bands; ++b)
    objects.push_back(slice_of(object_parts(options.object, 3), height_of(options, b)));
  if (options.bands == 1)
    objects.assign(static_cast<std::size_t>(frames_of(options)), object_parts(options.object, dims));
  const auto tissues = options.signal ? tube_tissues() : std::vector<Tissue>{};
  for (std::size_t i = 0; i < tissues.size(); ++i) {
    const auto signal = signal_of(*options.signal, tissues[i]);
    for (std::size_t frame = 0; frame < signal.size(); ++frame) objects[frame][i].intensity *= signal[frame];
  }
  return objects;
}

// The parts of an object that moves as a whole: rotation about z, then translation.
std::vector<PhantomPart> moved_parts(std::vector<PhantomPart> parts, const double* six, const Vec3& fov_mm) {
  const double angle = six[5] * pi / 180, cosine = std::cos(angle), sine = std::sin(angle);
  for (PhantomPart& part : parts) {
    const auto [x, y, z] = part.centre;
    part.centre = {cosine * x - sine * y + six[0] / fov_mm[0], sine * x + cosine * y + six[1] / fov_mm[1],
                   z + six[2] / fov_mm[2]};
    part.angle += angle;
  }
  return parts;
}

// The first readout after `readout` whose object is another one.
Index end_of_state(const SimulationOptions& options, Index readout, Index readouts) {
  if (options.chest) return readout + 1;
  if (options.motion.size() == 0) return readouts;
  const Index of_shot = readouts / options.motion.shape()[0];
  return (readout / of_shot + 1) * of_shot;
}

ChestState chest_of(const ChestMotion& motion, const ReadoutHeader& header) {
  return chest_at(motion, time_stamp_s * header.acquisition_time_stamp);
}

std::vector<PhantomPart> parts_at(const SimulationOptions& options, int dims, Index readout, Index readouts,
                                  const ReadoutHeader& header) {
  if (options.chest) return chest_parts(chest_of(*options.chest, header));
  const Index shot = readout / (readouts / options.motion.shape()[0]);
  return moved_parts(object_parts(options.object, dims), options.motion.view().data() + 6 * shot,
                     options.fov_mm);
}

// The object's signal in the coils, with or without off-resonance.
class Signal {
 public:
  Signal(const SimulationOptions& options, const Trajectory& trajectory, const Shape& shape, Context& ctx,
         Index band, std::vector<PhantomPart> parts)
      : options_(options),
        trajectory_(trajectory),
        shape_(shape),
        ctx_(ctx),
        band_(band),
        parts_(std::move(parts)),
        at_echo_(seen_at(0)) {}
  const Phantom& at_echo() const { return at_echo_; }
  Index echo_sample() const { return echo_sample_; }

  // Samples of readouts with the coordinates k, [coils, readouts * samples].
  Array<Complex> of(View<const double> k, double echo_s) const {
    if (options_.field_hz == 0) return at_echo_.kspace(k, shape_, ctx_);
    const Index samples = trajectory_.samples_per_readout, length = k.shape()[0], dims = k.shape()[1],
                readouts = length / samples;
    Array<Complex> result({options_.coils, length});
    Array<double> points({readouts, dims});
    for (Index j = 0; j < samples; ++j) {  // all readouts take their sample j at the same time
      for (Index r = 0; r < readouts; ++r)
        std::copy_n(k.data() + (r * samples + j) * dims, dims, points.data() + r * dims);
      const double time = echo_s + static_cast<double>(j - echo_sample_) * imaging_dwell_us * 1e-6;
      const auto values = seen_at(time).kspace(points, shape_, ctx_);
      for (Index c = 0; c < options_.coils; ++c)
        for (Index r = 0; r < readouts; ++r) result[c * length + r * samples + j] = values[c * readouts + r];
    }
    return result;
  }

 private:
  Phantom seen_at(double time_s) const {
    const int dims = shape_.rank();
    if (options_.bands > 1)
      return {dims, parts_, slice_of(coil_ring(3, options_.coils), height_of(options_, band_))};
    return {
        dims, parts_,
        with_phase(coil_ring(dims, options_.coils), options_.phase - 2 * pi * options_.field_hz * time_s)};
  }
  // The sample of a readout that is nearest to the centre.
  Index nearest_to_centre() const {
    const Index dims = trajectory_.k.shape()[1];
    Index nearest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < trajectory_.samples_per_readout; ++j) {
      double square = 0;
      for (Index axis = 0; axis < dims; ++axis) square += std::pow(trajectory_.k[j * dims + axis], 2);
      if (square < least) {
        least = square;
        nearest = j;
      }
    }
    return nearest;
  }

  const SimulationOptions& options_;
  const Trajectory& trajectory_;
  const Shape& shape_;
  Context& ctx_;
  Index band_;
  std::vector<PhantomPart> parts_;
  Phantom at_echo_;
  Index echo_sample_ = nearest_to_centre();
};

Encoding encoding_of(const SimulationOptions& options, Index partitions) {
  Encoding encoding;
  encoding.encoded_matrix = encoding.recon_matrix = options.matrix;
  encoding.encoded_fov_mm = encoding.recon_fov_mm = options.fov_mm;
  encoding.has_recon_space = true;
  encoding.trajectory = ismrmrd_name(options);
  encoding.center_step_1 = static_cast<int>(centre_step_1(options));
  encoding.center_step_2 = static_cast<int>(partitions / 2);
  encoding.multiband = options.bands;
  encoding.band_distance_mm = band_distance_mm(options);
  return encoding;
}

// Several images or maps in one array; a single one unchanged.
Array<std::complex<float>> side_by_side(std::vector<Array<std::complex<float>>> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  Array<std::complex<float>> all(parts.front().shape().prepend(static_cast<Index>(parts.size())));
  auto* out = all.data();
  for (const auto& part : parts) out = std::copy(part.begin(), part.end(), out);
  return all;
}

/// All readouts of an echo, of all bands together or of a single one as a reference.
struct Pass {
  Index contrast = 0;
  double echo_s = 0;
  std::optional<Index> reference;
};

std::vector<Pass> passes_of(const SimulationOptions& options) {
  const std::vector<double> echoes =
      options.echo_times_ms.empty() ? std::vector<double>{0} : options.echo_times_ms;
  std::vector<Pass> passes;
  for (Index b = 0; options.references && b < options.bands; ++b) passes.push_back({0, 1e-3 * echoes[0], b});
  for (std::size_t c = 0; c < echoes.size(); ++c)
    passes.push_back({static_cast<Index>(c), 1e-3 * echoes[c], std::nullopt});
  return passes;
}

// Contrast, slice and position of its readouts.
void mark(const Pass& pass, const SimulationOptions& options, ReadoutHeader& header) {
  header.counters.contrast = static_cast<std::uint16_t>(pass.contrast);
  if (pass.reference) header.set(AcquisitionFlag::calibration);
  const Index band = pass.reference.value_or(0);
  header.counters.slice = static_cast<std::uint16_t>(band);
  if (options.bands > 1)
    header.position[2] = static_cast<float>(height_of(options, band) * options.fov_mm[0]);
}

// Adds the signal of a band, for readouts from `first` on, times its factors.
void add_band(const Array<Complex>& signal, Index band, const SimulationOptions& options, Index first,
              Index samples, Array<Complex>& sum) {
  const Index length = signal.shape()[1];
  for (Index i = 0; i < signal.size(); ++i) {
    const auto readout = static_cast<double>(first + i % length / samples);
    const double cycles = static_cast<double>(band) * readout / options.caipi;
    sum[i] += signal[i] * std::polar(1.0, -2 * pi * std::remainder(cycles, 1.0));
  }
}

// The signal of a pass's readouts from `first` on, with the coordinates k, of one frame or of all bands.
Array<Complex> samples_of(const Pass& pass, const std::vector<Signal>& signals,
                          const SimulationOptions& options, View<const double> k, Index first, Index samples,
                          Index frame) {
  if (pass.reference || options.bands == 1)
    return signals[static_cast<std::size_t>(pass.reference.value_or(frame))].of(k, pass.echo_s);
  auto sum = filled<Complex>({options.coils, k.shape()[0]}, 0.0);
  for (std::size_t b = 0; b < signals.size(); ++b)
    add_band(signals[b].of(k, pass.echo_s), static_cast<Index>(b), options, first, samples, sum);
  return sum;
}

// Adds the true image, maps and field of the bands or frames.
void add_images(const std::vector<Signal>& signals, const SimulationOptions& options, const Shape& shape,
                Context& ctx, Simulation& result) {
  std::vector<Array<std::complex<float>>> truths, maps;
  for (const Signal& signal : signals) {
    truths.push_back(signal.at_echo().truth(shape, ctx));
    if (options.maps && (options.bands > 1 || maps.empty()))
      maps.push_back(signal.at_echo().maps(shape, ctx));
  }
  result.truth = side_by_side(std::move(truths));
  if (options.maps) result.maps = side_by_side(std::move(maps));
  if (options.phase != 0) move_phase_to_image(result, options.phase, shape, ctx.host());
  result.field = waves(shape, options.field_hz, ctx.host());
}

// Order of readouts: a stack's partitions are consecutive, Cartesian lines fill a partition first.
struct ReadoutOrder {
  Index readouts, partitions, first_step_1, of_frame, frames;
  bool partition_fastest;

  // Counters and flags of readout r of a pass.
  void count(Index r, ReadoutHeader& header, const SimulationOptions& options) const {
    if (runs_backwards(options, r)) header.set(AcquisitionFlag::reverse);
    if (is_navigator(options, r)) {
      header.set(AcquisitionFlag::phase_correction);
      return;
    }
    if (options.echo_train) r -= navigators;
    const Index steps_1 = readouts / partitions;
    header.encode_step_1 =
        static_cast<std::uint16_t>(partition_fastest ? r / partitions : first_step_1 + r % steps_1);
    header.encode_step_2 = static_cast<std::uint16_t>(partition_fastest ? r % partitions : r / steps_1);
    if (frames > 1) header.counters.contrast = static_cast<std::uint16_t>(r / of_frame);
  }
};

// The true places of samples with the nominal ones `k`: backward lines of an echo train are displaced, and
// gradients respond. Appends the phase of each sample by the uniform field of the gradients to `cycles`.
Array<double> displaced(Array<double> k, const Trajectory& trajectory, const SimulationOptions& options,
                        std::vector<double>& cycles) {
  const Index samples = trajectory.samples_per_readout, dims = k.shape()[1];
  for (Index i = 0; options.echo_train && i < k.shape()[0]; ++i)
    if (runs_backwards(options, i / samples))
      k[2 * i] += options.echo_train->shift / static_cast<double>(options.matrix[0]);
  if (options.gradient_response.size() == 0) return k;
  const GradientResponse response(options.gradient_response.view());
  std::array<double, 3> pixel_mm;
  for (std::size_t axis = 0; axis < 3; ++axis)
    pixel_mm[axis] = options.fov_mm[axis] / static_cast<double>(options.matrix[axis]);
  for (Index readout = 0; readout < trajectory.readouts; ++readout) {
    const auto of_readout = response.apply(k.data() + readout * samples * dims, samples,
                                           static_cast<int>(dims), imaging_dwell_us, pixel_mm);
    cycles.insert(cycles.end(), of_readout.begin(), of_readout.end());
  }
  return k;
}

// Turns the phase of samples from `first_sample` on. signal: [coils, samples].
void turn_by_field(const std::vector<double>& cycles, Index first_sample, Array<Complex>& signal) {
  const Index length = signal.shape()[1];
  for (Index i = 0; !cycles.empty() && i < signal.size(); ++i)
    signal[i] *= std::polar(1.0, -2 * pi * cycles[static_cast<std::size_t>(first_sample + i % length)]);
}

// Turns the phase of backward lines. signal: [coils, readouts from `first` on].
void turn_backward_lines(const SimulationOptions& options, Index first, Index samples,
                         Array<Complex>& signal) {
  if (!options.echo_train) return;
  constexpr double among_channels = 0.2;
  const Index length = signal.shape()[1];
  for (Index i = 0; i < signal.size(); ++i) {
    const double channel = std::sin(2.0 * static_cast<double>(i / length));
    if (runs_backwards(options, first + i % length / samples))
      signal[i] *= std::polar(1.0, options.echo_train->phase + among_channels * channel);
  }
}

ReadoutOrder order_of(const SimulationOptions& options, Index readouts) {
  const bool lines = options.trajectory == SimulatedTrajectory::cartesian;
  const Index frames = frames_of(options), shots = options.motion.size() > 0 ? options.motion.shape()[0] : 1;
  if (readouts % shots != 0)
    throw usage_error("motion of {} shots for {} simulated readouts, expected a divisor", shots, readouts);
  if (readouts % frames != 0)
    throw usage_error("{} simulated readouts for {} frames of the signal model, expected a multiple",
                      readouts, frames);
  const Index partitions = is_stack(options.trajectory) || lines ? options.matrix[2] : 1;
  if (readouts / partitions > most_samples)
    throw usage_error("{} simulated readouts, expected at most {}", readouts / partitions, most_samples);
  return {readouts,          partitions, lines ? first_taken(options, options.matrix[1]) : 0,
          readouts / frames, frames,     is_stack(options.trajectory)};
}

void describe(const SimulationOptions& options, Index partitions, Scan& scan) {
  scan.source = "simulation";
  scan.relative_noise_bandwidth = noise_bandwidth;
  scan.patient_position = "HFS";
  scan.encodings.push_back(encoding_of(options, partitions));
}

// The first readout, with the next numbers of `normal`.
void add_noise_readout(Scan& scan, Index coils, const Array<Complex>& mixing, double sigma,
                       ComplexNormal& normal, const Context& ctx) {
  Readout readout;
  readout.header = readout_header(0, noise_samples, coils, noise_dwell_over_imaging * imaging_dwell_us);
  readout.header.set(AcquisitionFlag::noise);
  // Whitening multiplies with √(dt_imaging / dt_noise · bandwidth): the noise readout has that variance.
  sigma *= std::sqrt(noise_bandwidth / noise_dwell_over_imaging);
  std::fill_n(scan.data.data(), noise_samples * coils, std::complex<float>(0));
  normal.draw(noise_samples * coils);
  parallel_for(ctx, noise_samples, 64, [&](Index begin, Index end, int) {
    add_noise(scan.data.data() + begin, coils, noise_samples, end - begin, mixing, sigma, normal,
              begin * coils);
  });
  scan.readouts.push_back(readout);
}

// ECG with a trigger at each R wave and the stretch of a belt, as the standard's converters write them.
void add_waveforms(const ChestMotion& motion, Scan& scan) {
  constexpr std::uint32_t piece_stamps = 400;
  const auto add = [&](std::uint16_t id, std::uint32_t from, std::uint32_t stamps_a_sample, const auto& at) {
    const std::size_t samples = piece_stamps / stamps_a_sample;
    Waveform piece{id, 2, from, static_cast<float>(1e6 * time_stamp_s * stamps_a_sample), {}};
    piece.values.resize(2 * samples);
    for (std::size_t i = 0; i < samples; ++i) {
      const double seconds = time_stamp_s * static_cast<double>(from + i * stamps_a_sample);
      std::tie(piece.values[i], piece.values[samples + i]) = at(seconds);
    }
    scan.waveforms.push_back(std::move(piece));
  };
  using Sample = std::pair<std::uint32_t, std::uint32_t>;
  const auto end = scan.readouts.back().header.acquisition_time_stamp;
  for (auto from = scan.readouts.front().header.acquisition_time_stamp; from <= end; from += piece_stamps) {
    if (motion.beats_per_minute > 0)
      add(Waveform::ecg, from, 1, [&](double seconds) {
        const double since_wave_s = chest_at(motion, seconds).since_wave_s;
        const double wave = std::exp(-std::pow(since_wave_s / 0.02, 2));
        return Sample{static_cast<std::uint32_t>(2048 + 1000 * wave),
                      since_wave_s < chest_at(motion, seconds - time_stamp_s).since_wave_s ? 1 : 0};
      });
    add(Waveform::respiration, from, 8, [&](double seconds) {
      return Sample{static_cast<std::uint32_t>(1000 + 2000 * chest_at(motion, seconds).inspired), 0};
    });
  }
}

}  // namespace

Simulation simulate_scan(const SimulationOptions& given, Context& device) {
  Context ctx = device.host();
  const auto options = completed(given);
  const bool volume = is_volume(options.trajectory, options.matrix[2]);
  const int dims = volume ? 3 : 2;
  const auto& [nx, ny, nz] = options.matrix;
  const Shape shape = volume ? Shape{nz, ny, nx} : Shape{ny, nx};
  const Index coils = options.coils;
  auto trajectory = without_one_side(make_trajectory(options, shape), options);
  if (options.echo_train) trajectory = with_ramps(trajectory, options);
  const Index samples = trajectory.samples_per_readout;
  if (samples > most_samples)
    throw usage_error(
        "simulated readouts have {} samples, expected at most {}: use more interleaves or fewer samples",
        samples, most_samples);
  const ReadoutOrder order = order_of(options, trajectory.readouts);
  Simulation result;
  // Maps, image and its transform are computed on the device, or on the CPU if the device has too little
  // memory.
  const double bytes = static_cast<double>(shape.size()) *
                       (static_cast<double>(coils) * sizeof(std::complex<float>) + 5 * sizeof(Complex));
  Context& there = device.on_gpu() && bytes < static_cast<double>(device.memory_limit()) ? device : ctx;
  std::vector<Signal> signals;
  for (auto& parts : objects_of(options, dims)) {
    const Index band = options.bands > 1 ? static_cast<Index>(signals.size()) : 0;
    signals.emplace_back(options, trajectory, shape, there, band, std::move(parts));
  }
  add_images(signals, options, shape, there, result);
  const double sigma = options.noise * max_magnitude<float>(result.truth.view(), ctx) *
                       std::sqrt(static_cast<double>(shape.size()));
  const auto mixing = noise_mixing(coils);
  ComplexNormal normal(options.seed);

  Scan& scan = result.scan;
  describe(options, order.partitions, scan);
  const std::vector<Pass> passes = passes_of(options);
  const auto count_of_passes = static_cast<Index>(passes.size());
  const auto pass_of = [&](Index number) -> const Pass& {
    return passes[static_cast<std::size_t>(number / trajectory.readouts)];
  };
  const Index all_readouts = count_of_passes * trajectory.readouts;
  const Index imaging_values = all_readouts * samples * coils;
  const Index noise_values = options.noise > 0 ? noise_samples * coils : 0;
  scan.data.resize(static_cast<std::size_t>(imaging_values + noise_values));
  scan.trajectory.resize(static_cast<std::size_t>(count_of_passes * trajectory.k.size()));
  scan.readouts.reserve(static_cast<std::size_t>(all_readouts + 1));
  if (options.noise > 0) add_noise_readout(scan, coils, mixing, sigma, normal, ctx);

  // The file stores k as float: the samples belong to these coordinates.
  Array<double> stored(trajectory.k.shape());
  for (Index i = 0; i < stored.size(); ++i) stored[i] = static_cast<float>(trajectory.k[i]);
  std::vector<double> cycles;
  for (auto k = scan.trajectory.begin(); k != scan.trajectory.end(); k += stored.size())
    std::transform(stored.begin(), stored.end(), k, [](double value) { return static_cast<float>(value); });
  const Array<double> sampled = displaced(std::move(stored), trajectory, options, cycles);
  for (Index number = 0; number < all_readouts; ++number) {
    const Index r = number % trajectory.readouts;
    Readout readout;
    readout.header =
        readout_header(static_cast<Index>(scan.readouts.size()), samples, coils, imaging_dwell_us);
    readout.header.trajectory_dimensions = static_cast<std::uint16_t>(dims);
    readout.header.center_sample = static_cast<std::uint16_t>(signals.front().echo_sample());
    mark(pass_of(number), options, readout.header);
    order.count(r, readout.header, options);
    if (options.chest)
      readout.header.physiology_time_stamp[0] =
          static_cast<std::uint32_t>(chest_of(*options.chest, readout.header).since_wave_s / time_stamp_s);
    if (number + 1 == all_readouts) readout.header.set(AcquisitionFlag::last_in_measurement);
    readout.data_offset = static_cast<std::size_t>(noise_values + number * samples * coils);
    readout.trajectory_offset = static_cast<std::size_t>(number * samples * dims);
    scan.readouts.push_back(readout);
  }
  if (options.chest) add_waveforms(*options.chest, scan);
  constexpr Index block = 128;  // readouts computed together
  for (Index number = 0, count = 0; number < all_readouts; number += count) {
    ctx.throw_if_cancelled();
    ctx.reporter().progress("simulate", number, all_readouts, "");
    const Index first = number % trajectory.readouts;
    count = std::min({block, trajectory.readouts - first, order.of_frame - first % order.of_frame});
    count = std::min(count, end_of_state(options, first, order.readouts) - first);
    if (options.chest || options.motion.size() > 0) {
      const auto& header =
          scan.readouts[scan.readouts.size() - static_cast<std::size_t>(all_readouts - number)].header;
      signals.clear();
      signals.emplace_back(options, trajectory, shape, there, 0,
                           parts_at(options, dims, first, order.readouts, header));
    }
    const Index length = count * samples;
    const View<const double> k(sampled.data() + first * samples * dims, {length, dims});
    auto signal = samples_of(pass_of(number), signals, options, k, first, samples, first / order.of_frame);
    turn_backward_lines(options, first, samples, signal);
    turn_by_field(cycles, first * samples, signal);
    if (sigma > 0) normal.draw(length * coils);
    parallel_for(ctx, count, 1, [&](Index begin, Index end, int) {
      for (Index r = begin; r < end; ++r) {
        std::complex<float>* data = scan.data.data() + noise_values + (number + r) * samples * coils;
        store(signal, r, samples, data);
        if (sigma > 0) add_noise(data, coils, samples, samples, mixing, sigma, normal, r * samples * coils);
      }
    });
  }
  return result;
}

}  // namespace larmor
