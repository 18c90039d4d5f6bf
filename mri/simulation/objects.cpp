#include <larmor/core/format_error.hpp>
#include <larmor/mri/simulation/objects.hpp>

#include <cmath>
#include <numbers>
#include <random>

namespace larmor {
namespace {

using std::numbers::pi;
using Kind = PhantomPart::Kind;

PhantomPart ellipsoid(std::complex<double> intensity, std::array<double, 3> centre,
                      std::array<double, 3> radii) {
  return {Kind::ellipsoid, intensity, centre, radii, 0};
}

// Small ellipsoids throughout the brain, brighter and darker, from one to several pixels in size.
std::vector<PhantomPart> textured_head(int dims) {
  std::vector<PhantomPart> parts = head_phantom(dims);
  std::mt19937 generator(19740613);
  // The standard does not specify its distributions exactly.
  const auto uniform = [&](double from, double to) {
    return from + (to - from) * static_cast<double>(generator()) / 4294967296.0;
  };
  const int count = dims == 2 ? 90 : 160;
  while (parts.size() < static_cast<std::size_t>(10 + count)) {
    const std::array<double, 3> place{uniform(-1, 1), uniform(-1, 1), dims == 3 ? uniform(-1, 1) : 0};
    const double size = uniform(0.006, 0.03), contrast = uniform(0.06, 0.2);
    const double stretch = uniform(0.6, 1.6), sign = uniform(-1, 1) < 0 ? -1 : 1;
    if (place[0] * place[0] + place[1] * place[1] + place[2] * place[2] > 0.85) continue;
    parts.push_back(ellipsoid(sign * contrast, {0.31 * place[0], 0.41 * place[1], 0.36 * place[2]},
                              {size * stretch, size / stretch, size}));
  }
  return parts;
}

std::vector<PhantomPart> gaussians() {
  const auto gaussian = [](double intensity, std::array<double, 3> centre, double radius) {
    return PhantomPart{Kind::gaussian, intensity, centre, {radius, radius, radius}, 0};
  };
  return {gaussian(0.6, {0, 0, 0}, 0.13),
          gaussian(0.5, {0.12, 0.14, 0.05}, 0.07),
          gaussian(0.45, {-0.15, 0.05, -0.08}, 0.08),
          gaussian(-0.3, {0.04, -0.06, 0.02}, 0.05),
          gaussian(0.4, {0.02, -0.2, 0.1}, 0.06),
          gaussian(0.35, {-0.1, -0.1, 0}, 0.045)};
}

std::vector<PhantomPart> opposed_phases(int dims) {
  const double sinus = dims == 3 ? 0.1 : 0;
  return {ellipsoid(-1.0, {0, 0, 0}, {0.345, 0.460, 0.405}),   // fat
          ellipsoid(1.5, {0, -0.0092, 0}, {0.3, 0.41, 0.36}),  // tissue: 0.5
          ellipsoid(0.4, {0.1, 0.05, 0}, {0.07, 0.16, 0.1}),   // tissue: 0.9
          ellipsoid(std::polar(0.6, 0.5 * pi) - 0.5, {-0.12, 0.02, 0},
                    {0.07, 0.13, 0.1}),                           // tissue with a phase of a quarter turn
          ellipsoid(-0.5, {0, 0.28, sinus}, {0.06, 0.05, 0.06}),  // air
          ellipsoid(-1.2, {0.02, -0.2, 0}, {0.05, 0.05, 0.05}),   // fat inside
          ellipsoid(0.4, {-0.05, -0.3, 0}, {0.02, 0.015, 0.02})};
}

// Ten tubes: seven on a circle around three.
std::vector<PhantomPart> tubes() {
  std::vector<PhantomPart> parts;
  const auto add = [&](int count, double distance) {
    for (int i = 0; i < count; ++i) {
      const double angle = 2 * pi * i / count;
      parts.push_back(ellipsoid(1 - 0.05 * static_cast<double>(parts.size()),
                                {distance * std::cos(angle), distance * std::sin(angle), 0},
                                {0.075, 0.075, 0.4}));
    }
  };
  add(7, 0.3);
  add(3, 0.12);
  return parts;
}

// Cycles since 0, of a rate that varies by some percent.
double cycles_at(double per_minute, double variation, double period_s, double seconds) {
  return per_minute / 60 * seconds + variation * std::sin(2 * pi * seconds / period_s);
}
double beats_at(const ChestMotion& motion, double seconds) {
  return cycles_at(motion.beats_per_minute, 0.08, 11, seconds);
}

}  // namespace

ChestState chest_at(const ChestMotion& motion, double seconds) {
  ChestState state;
  const double breaths = cycles_at(motion.breaths_per_minute, 0.12, 17, seconds),
               beats = beats_at(motion, seconds);
  state.inspired = std::pow(std::sin(pi * breaths), 2);
  state.contracted = std::pow(std::sin(pi * beats), 2);
  if (motion.beats_per_minute == 0) return state;
  double wave = seconds - (beats - std::floor(beats)) * 60 / motion.beats_per_minute;
  for (int step = 0; step < 5; ++step)
    wave += (std::floor(beats) - beats_at(motion, wave)) * 60 / motion.beats_per_minute;
  state.since_wave_s = seconds - wave;
  return state;
}

std::vector<PhantomPart> chest_parts(const ChestState& state) {
  const double down = -0.06 * state.inspired, heart = 1 - 0.25 * state.contracted;
  return {
      ellipsoid(0.4, {0, 0, 0}, {0.4, 0.46, 0.3}),
      ellipsoid(-0.3, {0.18, 0.14, 0}, {0.12, 0.22, 0.2}),  // lungs
      ellipsoid(-0.3, {-0.2, 0.14, 0}, {0.1, 0.22, 0.2}),
      ellipsoid(0.4, {0.12, -0.2 + down, 0}, {0.2, 0.13, 0.2}),  // liver
      ellipsoid(0.2, {0.15, -0.22 + down, 0}, {0.02, 0.05, 0.1}),
      ellipsoid(0.3, {-0.24, -0.16 + down, 0}, {0.06, 0.08, 0.1}),                                // spleen
      ellipsoid(0.3, {-0.03, 0.02 + 0.5 * down, 0}, {0.11, 0.12, 0.12}),                          // heart
      ellipsoid(0.3, {-0.04, 0.02 + 0.5 * down, 0}, {0.08 * heart, 0.09 * heart, 0.08 * heart}),  // its blood
      ellipsoid(0.4, {0.04, -0.36, 0}, {0.04, 0.04, 0.3})};
}

std::vector<Tissue> tube_tissues() {
  return {{300, 40},  {500, 60},   {800, 75},   {1000, 50},  {1200, 100},
          {1400, 35}, {1700, 150}, {2000, 250}, {2600, 500}, {3500, 1200}};
}

std::vector<PhantomPart> object_parts(SimulatedObject object, int dims) {
  switch (object) {
    case SimulatedObject::head:
      return head_phantom(dims);
    case SimulatedObject::texture:
      return textured_head(dims);
    case SimulatedObject::smooth: {
      auto parts = gaussians();
      for (PhantomPart& part : parts)
        if (dims == 2) part.centre[2] = 0;
      return parts;
    }
    case SimulatedObject::phases:
      return opposed_phases(dims);
    case SimulatedObject::tubes:
      return tubes();
    case SimulatedObject::chest:
      return chest_parts({});
  }
  throw internal_error("unknown simulated object");
}

}  // namespace larmor
