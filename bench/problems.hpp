#pragma once

// Trajectories and data of the benchmarks.

#include <larmor/core/array.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

namespace larmor::bench {

/// Spoke s at the angle s·π/φ, φ the golden ratio.
inline Array<double> radial(Index spokes, Index samples) {
  Array<double> k({spokes * samples, 2});
  for (Index s = 0; s < spokes; ++s)
    for (Index r = 0; r < samples; ++r) {
      const double angle = static_cast<double>(s) * std::numbers::pi / std::numbers::phi;
      const double radius = static_cast<double>(r - samples / 2) / static_cast<double>(samples);
      k[2 * (s * samples + r)] = radius * std::cos(angle);
      k[2 * (s * samples + r) + 1] = radius * std::sin(angle);
    }
  return k;
}

/// Archimedean spirals from the centre, whose turns are 1/`size` apart.
inline Array<double> spiral(Index shots, Index samples, Index size) {
  Array<double> k({shots * samples, 2});
  for (Index s = 0; s < shots; ++s)
    for (Index r = 0; r < samples; ++r) {
      const double radius = 0.5 * static_cast<double>(r) / static_cast<double>(samples),
                   turns = (radius * static_cast<double>(size) + static_cast<double>(s)) /
                           static_cast<double>(shots);
      k[2 * (s * samples + r)] = radius * std::cos(2 * std::numbers::pi * turns);
      k[2 * (s * samples + r) + 1] = radius * std::sin(2 * std::numbers::pi * turns);
    }
  return k;
}

/// Centre-out spokes; height and azimuth from the two-dimensional golden means (Chan et al. 2009).
inline Array<double> kooshball(Index spokes, Index samples) {
  Array<double> k({spokes * samples, 3});
  for (Index s = 0; s < spokes; ++s) {
    const double z = 2 * std::fmod(0.465571231876768 * static_cast<double>(s), 1.0) - 1;
    const double azimuth = 2 * std::numbers::pi * std::fmod(0.682327803828019 * static_cast<double>(s), 1.0);
    const double across = std::sqrt(1 - z * z);
    for (Index r = 0; r < samples; ++r) {
      const double radius = static_cast<double>(r) / static_cast<double>(2 * samples);
      double* point = &k[3 * (s * samples + r)];
      point[0] = radius * across * std::cos(azimuth);
      point[1] = radius * across * std::sin(azimuth);
      point[2] = radius * z;
    }
  }
  return k;
}

/// Readouts that wind around cones of many polar angles from the centre of k-space, with four turns each.
/// Along an axis, samples and readouts are 1/`size` apart for an image of `size` pixels, readouts
/// `acceleration` times as far.
inline Array<double> cones(Index size, Index acceleration) {
  const auto n = static_cast<double>(size);
  const double edge = n / 2, winding = 4 * 2 * std::numbers::pi / edge;  // radians for a step of one along r
  const auto count = static_cast<Index>(std::ceil(std::numbers::pi * edge));
  std::vector<double> k;
  for (Index i = 0; i < count; ++i) {
    const double polar = std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    const double a = winding * std::sin(polar);
    // Length of the path up to the radius r.
    const auto length = [a](double r) {
      return 0.5 * (r * std::sqrt(1 + a * a * r * r) + std::asinh(a * r) / a);
    };
    const auto samples = static_cast<Index>(std::ceil(length(edge)));
    const auto readouts =
        static_cast<Index>(std::ceil(2 * std::numbers::pi * edge * std::sin(polar) /
                                     std::sqrt(1 + a * a * edge * edge) / static_cast<double>(acceleration)));
    for (Index readout = 0; readout < readouts; ++readout) {
      const double start = 2 * std::numbers::pi *
                           (static_cast<double>(readout) + static_cast<double>(i) / std::numbers::phi) /
                           static_cast<double>(readouts);
      double r = 0;
      for (Index s = 0; s < samples; ++s) {
        const double wanted = length(edge) * static_cast<double>(s) / static_cast<double>(samples);
        for (int step = 0; step < 3; ++step) r -= (length(r) - wanted) / std::sqrt(1 + a * a * r * r);
        k.push_back(r / n * std::sin(polar) * std::cos(start + winding * r));
        k.push_back(r / n * std::sin(polar) * std::sin(start + winding * r));
        k.push_back(r / n * std::cos(polar));
      }
    }
  }
  Array<double> result({static_cast<Index>(k.size()) / 3, 3});
  std::copy(k.begin(), k.end(), result.begin());
  return result;
}

/// A fast generator for hundreds of millions of values (Steele et al. 2014).
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  double uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

/// Uniform in [0, extent) along every axis; extent 1: the whole period.
inline Array<double> random_points(Index samples, Index dims, double extent, unsigned seed = 7) {
  SplitMix random(seed);
  Array<double> k({samples, dims});
  for (double& value : k) value = extent * random.uniform();
  return k;
}

/// Random positions of the plane, the same in each partition of a stack.
inline Array<double> stack_points(Index in_plane, Index partitions, unsigned seed = 7) {
  const Array<double> plane = random_points(in_plane, 2, 1, seed);
  Array<double> k({partitions * in_plane, 3});
  for (Index i = 0; i < partitions * in_plane; ++i) {
    k[3 * i] = plane[2 * (i % in_plane)];
    k[3 * i + 1] = plane[2 * (i % in_plane) + 1];
    k[3 * i + 2] = static_cast<double>(i / in_plane) / static_cast<double>(partitions);
  }
  return k;
}

/// Complex standard normal values, E|v|² = 1.
template <typename T>
Array<std::complex<T>> noise(const Shape& shape, unsigned seed = 1) {
  SplitMix random(seed);
  Array<std::complex<T>> values(shape);
  for (auto& value : values) {
    const double magnitude = std::sqrt(-std::log(1 - random.uniform()));
    const double phase = 2 * std::numbers::pi * random.uniform();
    value = {static_cast<T>(magnitude * std::cos(phase)), static_cast<T>(magnitude * std::sin(phase))};
  }
  return values;
}

}  // namespace larmor::bench
