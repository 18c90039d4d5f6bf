#pragma once

#include <larmor/core/cuda/complex_value.hpp>

// Kernels that compute the spectrum of a point-spread function from a trajectory, in precision S, for both
// devices; see toeplitz_spectrum.cpp.
namespace larmor::nufft {

/// weights[j] = density_j exp(2πi k_j·start)
template <typename S>
struct ModulateWeights {
  static constexpr const char* name = "modulate weights";
  const double *trajectory, *density;  ///< [samples][dims]; [samples] or null: 1
  int dims;
  double start[3];
  ComplexValue<S>* weights;

  LARMOR_HOST_DEVICE void operator()(std::int64_t j) const {
    double cycles = 0;
    for (int a = 0; a < dims; ++a) cycles += trajectory[j * dims + a] * start[a];
    weights[j] = phase_factor<S>(density ? density[j] : 1.0, std::floor(cycles) - cycles);
  }
};

/// Copies a block of shifts [z][y][x] to the array of all shifts, [outer][wrapped inner shifts]; the free
/// entries at −N are left unchanged. Axes x, y, z; beyond dims, lengths are 1 and starts 0. Rows are along x.
template <typename S>
struct PlaceShifts {
  static constexpr const char* name = "place shifts";
  int dims;
  std::int64_t extent[3], padded[3], start[3];  ///< of the block; the outermost axis is not padded
  const ComplexValue<S>* block;
  ComplexValue<S>* half;

  struct Line {
    const ComplexValue<S>* from;
    ComplexValue<S>* to;  ///< null: a free entry
    std::int64_t start, padded;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const {
      if (to && (start == 0 || x > 0)) to[x + start < 0 ? x + start + padded : x + start] = from[x];
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    const std::int64_t y = row % extent[1], shift = y + (dims == 3 ? start[1] : 0);
    const std::int64_t at =
        dims < 3 ? row : row / extent[1] * padded[1] + (shift < 0 ? shift + padded[1] : shift);
    const bool free_entry = dims == 3 && start[1] != 0 && y == 0;
    return {block + row * extent[0], free_entry ? nullptr : half + at * padded[0], start[0], padded[0]};
  }
};

/// lines[v][shift] for v in [0, count): the shifts >= 0 of half[shift][first + v], their conjugates at
/// −shift, zeros between. Consecutive threads handle neighbouring lines, which are adjacent in `half`.
template <typename S>
struct HermitianLines {
  static constexpr const char* name = "Hermitian lines";
  const ComplexValue<S>* half;
  std::int64_t inner, shifts, length, first, count;
  ComplexValue<S>* lines;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t v = i % count, at = i / count, shift = at < shifts ? at : length - at;
    ComplexValue<S> value{0, 0};
    if (shift < shifts) value = half[shift * inner + first + v];
    if (at >= shifts) value.im = -value.im;
    lines[v * length + at] = value;
  }
};

/// spectrum[i] = scale · Re lines[i]
template <typename S, typename T>
struct RealParts {
  static constexpr const char* name = "real parts";
  const ComplexValue<S>* lines;
  double scale;
  T* spectrum;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    spectrum[i] = static_cast<T>(lines[i].re * scale);
  }
};

/// For each line along z of a volume's spectrum, [fy][fx][fz]: sums[fx][fy] = Σ of its elements, the
/// absolute value of its mean, and the largest distance of an element from the mean.
template <typename T>
struct SumLines {
  static constexpr const char* name = "sum lines";
  const T* spectrum;
  std::int64_t width, height, length;  ///< of x, y and z
  T* sums;
  double *means, *distances;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    const T* line = spectrum + i * length;
    double sum = 0, largest = 0;
    for (std::int64_t e = 0; e < length; ++e) sum += line[e];
    const double mean = sum / static_cast<double>(length);
    for (std::int64_t e = 0; e < length; ++e) {
      const double distance = line[e] < mean ? mean - line[e] : line[e] - mean;
      if (!(distance <= largest)) largest = distance;  // NaN too
    }
    sums[i % width * height + i / width] = static_cast<T>(sum);
    means[i] = mean < 0 ? -mean : mean;
    distances[i] = largest;
  }
};

}  // namespace larmor::nufft
