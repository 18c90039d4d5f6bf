#pragma once

#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/core/export.hpp>

namespace LARMOR_API larmor {

// Elementwise kernels of finite differences, for both devices. Rows run along the fastest axis.

/// Up to four axes of an array along which differences are taken.
struct DifferenceAxes {
  int count;
  std::int64_t extent[4], stride[4];
  bool fastest[4];           ///< true if rows are along it
  std::int64_t size, width;  ///< elements of the array; extent of its fastest axis

  /// Elements x of a row for which a neighbour at +stride (`ahead`) or −stride exists: [first, last).
  struct Range {
    std::int64_t first, last;
    LARMOR_HOST_DEVICE bool holds(std::int64_t x) const { return x >= first && x < last; }
  };
  LARMOR_HOST_DEVICE Range neighbours(int k, std::int64_t row, bool ahead) const {
    if (fastest[k]) return ahead ? Range{0, extent[k] - 1} : Range{1, extent[k]};
    const std::int64_t at = row * width / stride[k] % extent[k];
    const bool exists = ahead ? at < extent[k] - 1 : at > 0;
    return {0, exists ? width : 0};
  }
};

/// y_k = x(i + e_k) − x(i) − minus_k(i), zero where the neighbour is outside. Rows of y: (k, row of x).
template <typename T>
struct ForwardDifferences {
  static constexpr const char* name = "forward differences";
  DifferenceAxes axes;
  const ComplexValue<T>* x;
  const ComplexValue<T>* minus;  ///< shaped as y, or null
  ComplexValue<T>* y;
  bool accumulate;

  struct Line {
    const ComplexValue<T>*x, *minus;
    ComplexValue<T>* y;
    std::int64_t stride, last;
    bool accumulate;
    LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
      ComplexValue<T> value{0, 0};
      if (i < last) {
        value = x[i + stride] - x[i];
        if (minus) value = value - minus[i];
      }
      put(y[i], value, accumulate);
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t r) const {
    const std::int64_t rows = axes.size / axes.width, row = r % rows;
    const int k = static_cast<int>(r / rows);
    return {x + row * axes.width, minus ? minus + r * axes.width : nullptr, y + r * axes.width,
            axes.stride[k],       axes.neighbours(k, row, true).last,       accumulate};
  }
};

/// x = Σ_k y_k(i − e_k) − y_k(i): the adjoint without `minus`.
template <typename T>
struct ForwardDifferencesAdjoint {
  static constexpr const char* name = "forward differences, adjoint";
  DifferenceAxes axes;
  const ComplexValue<T>* y;
  ComplexValue<T>* x;
  bool accumulate;

  struct Line {
    const ComplexValue<T>* y;
    ComplexValue<T>* x;
    std::int64_t size, stride[4];
    DifferenceAxes::Range ahead[4], behind[4];
    int count;
    bool accumulate;
    LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
      ComplexValue<T> value{0, 0};
      for (int k = 0; k < 4; ++k) {
        if (k >= count) break;
        if (behind[k].holds(i)) value = value + y[k * size + i - stride[k]];
        if (ahead[k].holds(i)) value = value - y[k * size + i];
      }
      put(x[i], value, accumulate);
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    Line line{y + row * axes.width, x + row * axes.width, axes.size, {}, {}, {}, axes.count, accumulate};
    for (int k = 0; k < 4; ++k) {
      if (k >= axes.count) break;
      line.stride[k] = axes.stride[k];
      line.ahead[k] = axes.neighbours(k, row, true);
      line.behind[k] = axes.neighbours(k, row, false);
    }
    return line;
  }
};

/// The components (a, b), a <= b, of a symmetric matrix with `count` rows in their order aa, ab, …, bb, ….
LARMOR_HOST_DEVICE inline int symmetric_component(int a, int b, int count) {
  const int low = a < b ? a : b, high = a < b ? b : a;
  return low * count - low * (low - 1) / 2 + high - low;
}

/// Backward differences ∂_a of v: y_aa = ∂_a v_a, y_ab = (∂_a v_b + ∂_b v_a)/√2. Rows of y: (component, row).
template <typename T>
struct SymmetrizedDifferences {
  static constexpr const char* name = "symmetrized differences";
  DifferenceAxes axes;
  const ComplexValue<T>* v;
  ComplexValue<T>* y;
  bool accumulate;

  struct Line {
    const ComplexValue<T>*v_a, *v_b;  ///< v_a null on the diagonal
    ComplexValue<T>* y;
    std::int64_t stride_a, stride_b;
    DifferenceAxes::Range behind_a, behind_b;
    bool accumulate;
    LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
      ComplexValue<T> value{0, 0};
      if (behind_a.holds(i)) value = v_b[i] - v_b[i - stride_a];
      if (v_a) {
        if (behind_b.holds(i)) value = value + (v_a[i] - v_a[i - stride_b]);
        value = static_cast<T>(0.70710678118654752440) * value;
      }
      put(y[i], value, accumulate);
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t r) const {
    const std::int64_t rows = axes.size / axes.width, row = r % rows, start = row * axes.width;
    int component = static_cast<int>(r / rows), a = 0;
    while (component >= axes.count - a) component -= axes.count - a++;
    const int b = a + component;
    return {a == b ? nullptr : v + a * axes.size + start,
            v + b * axes.size + start,
            y + r * axes.width,
            axes.stride[a],
            axes.stride[b],
            axes.neighbours(a, row, false),
            axes.neighbours(b, row, false),
            accumulate};
  }
};

/// v_b = Σ_a w_ab (y_ab(i) − y_ab(i + e_a)) with w = 1 on the diagonal, 1/√2 beside it; −= minus_b(i) where
/// i + e_b is inside, which is the adjoint of ForwardDifferences with respect to `minus`. Rows of v: (b,
/// row).
template <typename T>
struct SymmetrizedDifferencesAdjoint {
  static constexpr const char* name = "symmetrized differences, adjoint";
  DifferenceAxes axes;
  const ComplexValue<T>* y;
  const ComplexValue<T>* minus;  ///< shaped as v, or null
  ComplexValue<T>* v;
  bool accumulate;

  struct Line {
    const ComplexValue<T>* y[4];
    const ComplexValue<T>* minus;
    ComplexValue<T>* v;
    std::int64_t stride[4];
    T weight[4];
    DifferenceAxes::Range ahead[4], behind[4];
    int count;
    std::int64_t minus_last;
    bool accumulate;
    LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
      ComplexValue<T> value{0, 0};
      for (int a = 0; a < 4; ++a) {
        if (a >= count) break;
        if (behind[a].holds(i)) value = value + weight[a] * y[a][i];
        if (ahead[a].holds(i)) value = value - weight[a] * y[a][i + stride[a]];
      }
      if (minus && i < minus_last) value = value - minus[i];
      put(v[i], value, accumulate);
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t r) const {
    const std::int64_t rows = axes.size / axes.width, row = r % rows, start = row * axes.width;
    const int b = static_cast<int>(r / rows);
    Line line{{},         minus ? minus + r * axes.width : nullptr, v + r * axes.width, {}, {}, {}, {},
              axes.count, axes.neighbours(b, row, true).last,       accumulate};
    for (int a = 0; a < 4; ++a) {
      if (a >= axes.count) break;
      line.y[a] = y + symmetric_component(a, b, axes.count) * axes.size + start;
      line.stride[a] = axes.stride[a];
      line.weight[a] = a == b ? T(1) : static_cast<T>(0.70710678118654752440);
      line.ahead[a] = axes.neighbours(a, row, true);
      line.behind[a] = axes.neighbours(a, row, false);
    }
    return line;
  }
};

}  // namespace larmor
