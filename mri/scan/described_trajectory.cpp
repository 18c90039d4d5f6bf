#include <larmor/core/format_error.hpp>
#include <larmor/mri/scan/described_trajectory.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace larmor {
namespace {

// NaN: missing.
double stated(const Encoding& encoding, const char* name) {
  const auto found = encoding.trajectory_parameters.find(name);
  return found == encoding.trajectory_parameters.end() ? NAN : found->second;
}

double parameter(const Encoding& encoding, const char* name) {
  const double value = stated(encoding, name);
  if (!std::isfinite(value) || !(value > 0))
    throw input_error("trajectory description {} lacks a positive {}; give the trajectory",
                      encoding.trajectory_identifier, name)
        .about("trajectory");
  return value;
}

/// The gradient of one line of an echo train; times in µs from its start.
struct Lobe {
  double up, flat, down;

  double duration() const { return up + flat + down; }
  // In units of the flat top's amplitude.
  double area_until(double time) const {
    const double rising = std::min(time, up), falling = std::max(0.0, time - up - flat);
    return time - rising + (up > 0 ? 0.5 * rising * rising / up : 0) -
           (down > 0 ? 0.5 * falling * falling / down : 0);
  }
};

Lobe lobe_of(const Encoding& encoding) {
  const auto time = [&](const char* name) {
    const double value = stated(encoding, name);
    if (!(value >= 0) || std::isinf(value))
      throw input_error("trajectory description {} lacks {}; give the trajectory",
                        encoding.trajectory_identifier, name)
          .about("trajectory");
    return value;
  };
  return {time("rampUpTime"), time("flatTopTime"), time("rampDownTime")};
}

constexpr double gamma_hz_per_gauss = 4257.7478518;
constexpr std::size_t longest_readout = 65535;  // in samples, of ISMRMRD
constexpr int steps_per_sample = 16;

}  // namespace

// The curve k = r exp(iθ) has neighbouring turns 1/FOV apart: dθ/dr = 2π FOV / interleaves = a. Its speed is
// r'√(1 + a²r²); setting |k''| to the slew limit gives a quadratic equation for r'':
//   (1 + a²r²) r''² + 2 a² r r'² r'' + r'⁴ a² (4 + a²r²) − (γS)² = 0.
std::vector<double> hargreaves_spiral(const Encoding& encoding) {
  const double interleaves = parameter(encoding, "interleaves");
  if (interleaves > 65535 || interleaves != std::floor(interleaves))
    throw input_error("trajectory description HargreavesVDS2000 has {} interleaves; give the trajectory",
                      interleaves)
        .about("trajectory");
  if (parameter(encoding, "fov_coefficients") != 1)
    throw input_error(
        "trajectory description HargreavesVDS2000 with more than one fov coefficient is not supported; give "
        "the trajectory")
        .about("trajectory");
  const double fov = parameter(encoding, "FOVCoeff_1_cm");
  const double edge = parameter(encoding, "krmax_per_cm");
  const double dwell = parameter(encoding, "SamplingTime_ns") * 1e-9;
  const double slew = gamma_hz_per_gauss * parameter(encoding, "MaxSlewRate_G_per_cm_per_s");
  // Samples along the curve may be no farther apart than turns.
  const double speed_limit =
      std::min(gamma_hz_per_gauss * parameter(encoding, "MaxGradient_G_per_cm"), 1 / (fov * dwell));
  const double a = 2 * std::numbers::pi * fov / interleaves;
  const double dt = dwell / steps_per_sample;

  std::vector<double> k;
  double r = 0, r1 = 0;
  while (r < edge) {
    k.push_back(r * std::cos(a * r));
    k.push_back(r * std::sin(a * r));
    if (k.size() / 2 > longest_readout)
      throw input_error(
          "trajectory description HargreavesVDS2000 needs more than {} samples an interleaf; give the "
          "trajectory",
          longest_readout)
          .about("trajectory");
    for (int step = 0; step < steps_per_sample; ++step) {
      const double ar2 = a * a * r * r, quadratic = 1 + ar2, half_linear = a * a * r * r1 * r1;
      const double constant = r1 * r1 * r1 * r1 * a * a * (4 + ar2) - slew * slew;
      const double discriminant = half_linear * half_linear - quadratic * constant;
      const double r2 = (-half_linear + std::sqrt(std::max(0.0, discriminant))) / quadratic;
      const double next = std::min(r1 + r2 * dt, speed_limit / std::sqrt(quadratic));
      r += 0.5 * (r1 + next) * dt;
      r1 = next;
    }
  }
  return k;
}

bool describes_lobe(const Encoding& encoding) {
  return encoding.trajectory_identifier == "ConventionalEPI";
}

std::vector<double> positions_in_lobe(const Encoding& encoding) {
  const Lobe lobe = lobe_of(encoding);
  const double dwell = parameter(encoding, "dwellTime"), samples = parameter(encoding, "numSamples");
  if (samples > longest_readout)
    throw input_error(
        "trajectory description {} has {} samples, more than a readout can; give the trajectory",
        encoding.trajectory_identifier, samples)
        .about("trajectory");
  const double acquired = samples * dwell;
  double start = stated(encoding, "acqDelayTime");
  if (!(start >= 0)) start = 0.5 * (lobe.duration() - acquired);
  if (start < 0 || start + acquired > lobe.duration() + 0.5 * dwell)
    throw input_error(
        "trajectory description {}: {} samples of {} µs from {} µs on end after the gradient, whose ramps "
        "and flat top take {} µs; give the trajectory",
        encoding.trajectory_identifier, samples, dwell, start, lobe.duration())
        .about("trajectory");
  const double centre = 0.5 * lobe.area_until(lobe.duration());
  const double scale = static_cast<double>(encoding.encoded_matrix[0]) /
                       (lobe.area_until(start + acquired) - lobe.area_until(start));
  std::vector<double> positions;
  for (double j = 0.5; j < samples; ++j)
    positions.push_back(scale * (lobe.area_until(start + j * dwell) - centre));
  return positions;
}

double echo_spacing_ms(const Scan& scan, const Encoding& encoding) {
  const double spacing = stated(encoding, "echoSpacing");
  if (scan.echo_spacing_ms > 0 || !describes_lobe(encoding) || !(spacing > 0)) return scan.echo_spacing_ms;
  return spacing >= lobe_of(encoding).duration() ? 1e-3 * spacing : spacing;
}

}  // namespace larmor
