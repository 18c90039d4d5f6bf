#pragma once

#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/mri/simulation/ellipsoid_sum.hpp>

#include <math.h>

// Phantoms in k-space and as images, for CPU and GPU.
namespace larmor {

/// Sums the transforms of ellipsoids with the best instructions of this processor.
void add_ellipsoids(const EllipsoidSum& task);

/// out_j = ∫ρ exp(−2πi (u_j − f)·x) dx of a phantom, all lengths in fields of view.
struct PhantomSpectrum {
  static constexpr const char* name = "phantom spectrum";
  static constexpr double pi = 3.141592653589793238;

  const PartValues* parts;
  std::int64_t count;
  int dims;
  bool ellipsoids;         ///< in three dimensions, and no other parts
  const double* k;         ///< [n, dims] in cycles per pixel; null: the pixels of the image are frequencies
  std::int64_t extent[3];  ///< of the image: x, y, z
  double frequency[3];     ///< f
  ComplexValue<double>* out;

  struct Place {
    double at[3];
  };
  LARMOR_HOST_DEVICE Place place(std::int64_t j) const {
    Place u{{0, 0, 0}};
    for (int a = 0; a < dims; ++a) {
      const double whole = k ? k[j * dims + a] * static_cast<double>(extent[a])
                             : static_cast<double>(j % extent[a] - extent[a] / 2);
      if (!k) j /= extent[a];
      u.at[a] = whole - frequency[a];
    }
    return u;
  }

  // J1(2πq)/q
  static LARMOR_HOST_DEVICE double unit_disk(double q) { return q < 1e-6 ? pi : ::j1(2 * pi * q) / q; }
  static LARMOR_HOST_DEVICE double unit_ball(double q) {
    const double a = 2 * pi * q;
    if (a < 0.02) return 4 * pi / 3 * (1 - a * a / 10 + a * a * a * a / 280);
    const ComplexValue<double> turn = phase_factor<double>(1, -q);
    return (turn.im - a * turn.re) / (2 * pi * pi * q * q * q);
  }
  LARMOR_HOST_DEVICE double form(const PartValues& part, const Place& u) const {
    const double x = (part.cosine * u.at[0] + part.sine * u.at[1]) * part.radii[0],
                 y = (part.cosine * u.at[1] - part.sine * u.at[0]) * part.radii[1],
                 z = dims == 3 ? u.at[2] * part.radii[2] : 0.0, square = x * x + y * y + z * z;
    if (!part.gaussian) return dims == 3 ? unit_ball(::sqrt(square)) : unit_disk(::sqrt(square));
    return ::pow(2 * pi, 0.5 * dims) * ::exp(-2 * pi * pi * square);
  }

  LARMOR_HOST_DEVICE void operator()(std::int64_t j) const {
    const Place u = place(j);
    ComplexValue<double> sum{0, 0};
    for (std::int64_t p = 0; p < count; ++p) {
      const PartValues& part = parts[p];
      const double cycles = u.at[0] * part.centre[0] + u.at[1] * part.centre[1] + u.at[2] * part.centre[2];
      sum = sum + form(part, u) * product({part.re, part.im}, phase_factor<double>(1, cycles));
    }
    out[j] = sum;
  }

  void run(std::int64_t first, std::int64_t last) const {
    if (!ellipsoids) {
      for (std::int64_t j = first; j < last; ++j) (*this)(j);
      return;
    }
    constexpr std::int64_t block = 256;
    double x[block], y[block], z[block], re[block], im[block];
    for (; first < last; first += block) {
      const std::int64_t n = last - first < block ? last - first : block;
      for (std::int64_t i = 0; i < n; ++i) {
        const Place u = place(first + i);
        x[i] = u.at[0], y[i] = u.at[1], z[i] = u.at[2], re[i] = 0, im[i] = 0;
      }
      add_ellipsoids({parts, count, x, y, z, n, re, im});
      for (std::int64_t i = 0; i < n; ++i) out[first + i] = {re[i], im[i]};
    }
  }
};

/// Contribution of one exponential to a coil.
struct CoilTerm {
  std::int32_t coil, exponential;
  double re, im;
};

/// samples[coil][j] += amplitude · spectrum[j] for every term.
struct AddToCoils {
  static constexpr const char* name = "add to coils";
  const CoilTerm* terms;
  std::int64_t count, n;
  double factor;
  const ComplexValue<double>* spectrum;
  ComplexValue<double>* samples;
  LARMOR_HOST_DEVICE void operator()(std::int64_t j) const {
    const ComplexValue<double> value = factor * spectrum[j];
    for (std::int64_t t = 0; t < count; ++t) {
      ComplexValue<double>& sum = samples[terms[t].coil * n + j];
      sum = sum + product({terms[t].re, terms[t].im}, value);
    }
  }
};

/// The sensitivities of a pixel's coils, normalised to root-sum-of-squares 1. Terms are sorted by coil.
struct PhantomMaps {
  static constexpr const char* name = "phantom maps";
  const CoilTerm* terms;
  std::int64_t count, coils, extent[3];   ///< x, y, z
  const ComplexValue<double>* phases[3];  ///< [exponential][place] along every axis
  ComplexValue<float>* maps;              ///< [coil][z][y][x]

  struct Line {
    const PhantomMaps* body;
    std::int64_t row;
    LARMOR_HOST_DEVICE ComplexValue<double> of_coil(std::int64_t coil, std::int64_t x,
                                                    std::int64_t& t) const {
      const std::int64_t y = row % body->extent[1], z = row / body->extent[1];
      ComplexValue<double> sum{0, 0};
      for (; t < body->count && body->terms[t].coil == coil; ++t) {
        const CoilTerm& term = body->terms[t];
        const std::int64_t e = term.exponential;
        const ComplexValue<double> plane =
            product(body->phases[1][e * body->extent[1] + y], body->phases[2][e * body->extent[2] + z]);
        sum = sum + product({term.re, term.im}, product(body->phases[0][e * body->extent[0] + x], plane));
      }
      return sum;
    }
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const {
      double squares = 0;
      std::int64_t t = 0;
      for (std::int64_t c = 0; c < body->coils; ++c) {
        const ComplexValue<double> value = of_coil(c, x, t);
        squares += value.re * value.re + value.im * value.im;
      }
      const double factor = squares > 0 ? 1 / ::sqrt(squares) : 0.0;
      const std::int64_t pixels = body->extent[0] * body->extent[1] * body->extent[2];
      t = 0;
      for (std::int64_t c = 0; c < body->coils; ++c) {
        const ComplexValue<double> value = factor * of_coil(c, x, t);
        body->maps[c * pixels + row * body->extent[0] + x] = {static_cast<float>(value.re),
                                                              static_cast<float>(value.im)};
      }
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const { return {this, row}; }
};

/// truth[p] += Σ conj(map of coil) amplitude · image[p] over the terms of one exponential.
struct AddToTruth {
  static constexpr const char* name = "add to truth";
  const CoilTerm* terms;
  std::int64_t count, pixels;
  const ComplexValue<float>* maps;
  const ComplexValue<double>* image;
  ComplexValue<float>* truth;
  LARMOR_HOST_DEVICE void operator()(std::int64_t p) const {
    ComplexValue<double> weight{0, 0};
    for (std::int64_t t = 0; t < count; ++t) {
      const ComplexValue<float> map = maps[terms[t].coil * pixels + p];
      weight = weight + conjugate_product({map.re, map.im}, ComplexValue<double>{terms[t].re, terms[t].im});
    }
    const ComplexValue<double> value = product(weight, image[p]);
    truth[p] = truth[p] + ComplexValue<float>{static_cast<float>(value.re), static_cast<float>(value.im)};
  }
};

}  // namespace larmor
