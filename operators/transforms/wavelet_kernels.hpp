#pragma once

#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/core/export.hpp>

namespace LARMOR_API larmor {

// Elementwise kernels of the wavelet transform, for both devices.

/// One level along one axis of a box [batch, z, y, x] inside a larger array. The first 2⌊n/2⌋ values of a
/// line are transformed periodically; the last value of an odd line is unchanged.
template <typename T>
struct WaveletPass {
  static constexpr int most_taps = 20;
  const ComplexValue<T>* in;
  ComplexValue<T>* out;
  std::int64_t extent[4], stride[4];
  int axis;  ///< 1, 2 or 3
  int taps;
  T low[most_taps], high[most_taps];

  LARMOR_HOST_DEVICE std::int64_t half() const { return extent[axis] / 2; }
  /// Pairs of a line, a single last value included.
  LARMOR_HOST_DEVICE std::int64_t steps() const { return (extent[axis] + 1) / 2; }
  LARMOR_HOST_DEVICE std::int64_t rows() const {
    std::int64_t product = 1;
    for (int a = 0; a < 3; ++a) product *= a == axis ? steps() : extent[a];
    return product;
  }
  LARMOR_HOST_DEVICE std::int64_t width() const { return axis == 3 ? steps() : extent[3]; }

  struct Place {
    std::int64_t offset, k;
  };
  LARMOR_HOST_DEVICE Place place(std::int64_t row) const {
    Place place{0, 0};
    for (int a = 2; a >= 0; --a) {
      const std::int64_t count = a == axis ? steps() : extent[a], at = row % count;
      row /= count;
      if (a == axis)
        place.k = at;
      else
        place.offset += at * stride[a];
    }
    return place;
  }
};

/// low_k = Σ_j h_j x_{2k+j}, high_k = Σ_j g_j x_{2k+j}; low in the first, high in the second half of the
/// line.
template <typename T>
struct WaveletAnalysis {
  static constexpr const char* name = "wavelet analysis";
  WaveletPass<T> pass;

  struct Line {
    const WaveletPass<T>* pass;
    typename WaveletPass<T>::Place place;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const {
      const std::int64_t s = pass->stride[pass->axis], half = pass->half(), offset = place.offset;
      const std::int64_t k = pass->axis == 3 ? x : place.k, start = pass->axis == 3 ? offset : offset + x;
      const ComplexValue<T>* in = pass->in + start;
      ComplexValue<T>* out = pass->out + start;
      if (k == half) {
        out[2 * k * s] = in[2 * k * s];
        return;
      }
      ComplexValue<T> low{0, 0}, high{0, 0};
      std::int64_t i = 2 * k;
      for (int j = 0; j < pass->taps; ++j) {
        const ComplexValue<T> value = in[i * s];
        low = low + pass->low[j] * value;
        high = high + pass->high[j] * value;
        if (++i == 2 * half) i = 0;
      }
      out[k * s] = low;
      out[(half + k) * s] = high;
    }
    /// Slow axes: whole rows are added.
    void run(std::int64_t first, std::int64_t last) const {
      const std::int64_t s = pass->stride[pass->axis], half = pass->half(), k = place.k;
      if (pass->axis == 3 || k == half) {
        for (std::int64_t x = first; x < last; ++x) (*this)(x);
        return;
      }
      ComplexValue<T>*low = pass->out + place.offset + k * s, *high = low + half * s;
      for (std::int64_t x = first; x < last; ++x) low[x] = high[x] = {0, 0};
      for (int j = 0; j < pass->taps; ++j) {
        const ComplexValue<T>* in = pass->in + place.offset + (2 * k + j) % (2 * half) * s;
        const T h = pass->low[j], g = pass->high[j];
        for (std::int64_t x = first; x < last; ++x) {
          low[x] = low[x] + h * in[x];
          high[x] = high[x] + g * in[x];
        }
      }
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const { return {&pass, pass.place(row)}; }
};

/// The adjoint, which is the inverse: x_{2k+p} = Σ_m h_{2m+p} low_{k−m} + g_{2m+p} high_{k−m}.
template <typename T>
struct WaveletSynthesis {
  static constexpr const char* name = "wavelet synthesis";
  WaveletPass<T> pass;

  struct Line {
    const WaveletPass<T>* pass;
    typename WaveletPass<T>::Place place;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const {
      const std::int64_t s = pass->stride[pass->axis], half = pass->half(), offset = place.offset;
      const std::int64_t k = pass->axis == 3 ? x : place.k, start = pass->axis == 3 ? offset : offset + x;
      const ComplexValue<T>* in = pass->in + start;
      ComplexValue<T>* out = pass->out + start;
      if (k == half) {
        out[2 * k * s] = in[2 * k * s];
        return;
      }
      ComplexValue<T> even{0, 0}, odd{0, 0};
      std::int64_t i = k;
      for (int j = 0; j < pass->taps; j += 2) {
        const ComplexValue<T> low = in[i * s], high = in[(half + i) * s];
        even = even + (pass->low[j] * low + pass->high[j] * high);
        odd = odd + (pass->low[j + 1] * low + pass->high[j + 1] * high);
        i = i == 0 ? half - 1 : i - 1;
      }
      out[2 * k * s] = even;
      out[(2 * k + 1) * s] = odd;
    }
    void run(std::int64_t first, std::int64_t last) const {
      const std::int64_t s = pass->stride[pass->axis], half = pass->half(), k = place.k;
      if (pass->axis == 3 || k == half) {
        for (std::int64_t x = first; x < last; ++x) (*this)(x);
        return;
      }
      ComplexValue<T>*even = pass->out + place.offset + 2 * k * s, *odd = even + s;
      for (std::int64_t x = first; x < last; ++x) even[x] = odd[x] = {0, 0};
      std::int64_t i = k;
      for (int j = 0; j < pass->taps; j += 2) {
        const ComplexValue<T>*low = pass->in + place.offset + i * s, *high = low + half * s;
        const T h0 = pass->low[j], g0 = pass->high[j], h1 = pass->low[j + 1], g1 = pass->high[j + 1];
        for (std::int64_t x = first; x < last; ++x) {
          even[x] = even[x] + (h0 * low[x] + g0 * high[x]);
          odd[x] = odd[x] + (h1 * low[x] + g1 * high[x]);
        }
        i = i == 0 ? half - 1 : i - 1;
      }
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const { return {&pass, pass.place(row)}; }
};

/// Copies a box [batch, z, y, x] between arrays of the same strides.
template <typename T>
struct CopyBox {
  static constexpr const char* name = "copy of a box";
  const ComplexValue<T>* in;
  ComplexValue<T>* out;
  std::int64_t extent[4], stride[4];

  struct Line {
    const ComplexValue<T>* in;
    ComplexValue<T>* out;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const { out[x] = in[x]; }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    std::int64_t offset = 0;
    for (int a = 2; a >= 0; --a) {
      offset += row % extent[a] * stride[a];
      row /= extent[a];
    }
    return {in + offset, out + offset};
  }
};

/// Position of a transform's detail coefficients: along each axis behind the coarsest low band, except for
/// the last values of odd lines.
struct DetailBands {
  static constexpr int most_levels = 24;
  std::int64_t extent[3];  ///< z, y, x
  std::int64_t low[3];
  std::int64_t single[3][most_levels];
  int singles[3];

  LARMOR_HOST_DEVICE bool along(int axis, std::int64_t at) const {
    if (at < low[axis]) return false;
    for (int s = 0; s < singles[axis]; ++s)
      if (at == single[axis][s]) return false;
    return true;
  }
};

}  // namespace larmor
