#pragma once

#include <larmor/core/cuda/complex_value.hpp>

// Elementwise kernels of small operators, for both devices. With `accumulate` results are added.
namespace larmor {

/// y_i = w_i x_i, or conj(w_i) x_i
template <typename T>
struct Multiply {
  static constexpr const char* name = "multiply";
  const ComplexValue<T>*w, *x;
  ComplexValue<T>* y;
  bool conjugate, accumulate;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    put(y[i], conjugate ? conjugate_product(w[i], x[i]) : product(w[i], x[i]), accumulate);
  }
};

/// y_i = Re x_i
template <typename T>
struct TakeRealPart {
  static constexpr const char* name = "real part";
  const ComplexValue<T>* x;
  ComplexValue<T>* y;
  bool accumulate;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const { put(y[i], {x[i].re, 0}, accumulate); }
};

/// values[rows][columns] times a number for each column; elements are columns.
template <typename T>
struct MultiplyColumns {
  static constexpr const char* name = "multiply columns";
  const T* numbers;
  std::int64_t rows, columns;
  ComplexValue<T>* values;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    for (std::int64_t at = i; at < rows * columns; at += columns)
      values[at] = {values[at].re * numbers[i], values[at].im * numbers[i]};
  }
  void run(std::int64_t first, std::int64_t last) const {
    for (std::int64_t start = 0; start < rows * columns; start += columns)
      for (std::int64_t i = first; i < last; ++i)
        values[start + i] = {values[start + i].re * numbers[i], values[start + i].im * numbers[i]};
  }
};

/// y[c] = m[c] x for maps [coils][pixels]; elements are pixels.
template <typename T>
struct MultiplyMaps {
  static constexpr const char* name = "multiply with coil maps";
  const ComplexValue<T>*maps, *x;
  ComplexValue<T>* y;
  std::int64_t pixels, coils;
  bool accumulate;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    const ComplexValue<T> value = x[i];
    for (std::int64_t at = i; at < coils * pixels; at += pixels)
      put(y[at], product(maps[at], value), accumulate);
  }
  void run(std::int64_t first, std::int64_t last) const {
    for (std::int64_t start = 0; start < coils * pixels; start += pixels)
      for (std::int64_t i = first; i < last; ++i)
        put(y[start + i], product(maps[start + i], x[i]), accumulate);
  }
};

/// x = Σ_c conj(m[c]) y[c]
template <typename T>
struct CombineCoils {
  static constexpr const char* name = "combine coils";
  const ComplexValue<T>*maps, *y;
  ComplexValue<T>* x;
  std::int64_t pixels, coils;
  bool accumulate;

  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    ComplexValue<T> sum{0, 0};
    for (std::int64_t at = i; at < coils * pixels; at += pixels)
      sum = sum + conjugate_product(maps[at], y[at]);
    put(x[i], sum, accumulate);
  }
  void run(std::int64_t first, std::int64_t last) const {
    if (!accumulate)
      for (std::int64_t i = first; i < last; ++i) x[i] = {0, 0};
    for (std::int64_t start = 0; start < coils * pixels; start += pixels)
      for (std::int64_t i = first; i < last; ++i)
        x[i] = x[i] + conjugate_product(maps[start + i], y[start + i]);
  }
};

/// out(i) = factor · in(i + shift) for every index i of an array of shape `out`; outside of `in` zero, or
/// with `wrap` modulo its extents, 0 <= shift < extent. Axes slowest first; rows are those of `out`.
template <typename T>
struct ShiftedCopy {
  static constexpr const char* name = "shifted copy";
  static constexpr int most_axes = 8;
  int rank;
  std::int64_t out_extent[most_axes], in_extent[most_axes], shift[most_axes];
  bool wrap;
  const ComplexValue<T>* in;
  ComplexValue<T>* out;
  T factor;
  bool accumulate;

  struct Line {
    const ComplexValue<T>* in;  ///< null outside
    ComplexValue<T>* out;
    std::int64_t extent, shift;
    bool wrap, accumulate;
    T factor;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const {
      std::int64_t at = x + shift;
      if (wrap && at >= extent) at -= extent;
      const bool inside = in && at >= 0 && at < extent;
      put(out[x], inside ? factor * in[at] : ComplexValue<T>{0, 0}, accumulate);
    }
    /// Runs of elements that are entirely inside or outside.
    void run(std::int64_t first, std::int64_t last) const {
      for (std::int64_t x = first; x < last;) {
        const std::int64_t at = x + shift - (wrap && x + shift >= extent ? extent : 0);
        const bool inside = in && at >= 0 && at < extent;
        const std::int64_t stretch = inside         ? extent - at
                                     : in && at < 0 ? -at
                                                    : last - x,
                           end = stretch < last - x ? x + stretch : last;
        const ComplexValue<T>* from = in + at - x;
        for (; x < end; ++x) put(out[x], inside ? factor * from[x] : ComplexValue<T>{0, 0}, accumulate);
      }
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    const int last = rank - 1;
    std::int64_t rest = row, from = 0, stride = in_extent[last];
    bool inside = true;
    for (int axis = last - 1; axis >= 0; --axis) {
      std::int64_t at = rest % out_extent[axis] + shift[axis];
      rest /= out_extent[axis];
      if (wrap && at >= in_extent[axis]) at -= in_extent[axis];
      inside = inside && at >= 0 && at < in_extent[axis];
      from += at * stride;
      stride *= in_extent[axis];
    }
    return {inside ? in + from : nullptr,
            out + row * out_extent[last],
            in_extent[last],
            shift[last],
            wrap,
            accumulate,
            factor};
  }
};

}  // namespace larmor
