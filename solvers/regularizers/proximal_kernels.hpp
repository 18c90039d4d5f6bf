#pragma once

#include <larmor/core/cuda/complex_value.hpp>
#include <larmor/operators/transforms/wavelet_kernels.hpp>

#include <cmath>

namespace larmor {

// Elementwise kernels of proximal maps, for both devices.

/// Values as [outer, joint, inner]; the norm of a group runs over `joint`.
struct GroupLayout {
  std::int64_t outer, joint, inner;
};

/// One row of groups: the values of group x are `joint` values `stride` apart.
template <typename T>
struct GroupRow {
  const ComplexValue<T>* values;
  std::int64_t joint, stride;

  LARMOR_HOST_DEVICE T norm(std::int64_t x) const {
    T squares = 0;
    for (std::int64_t j = 0; j < joint; ++j) {
      const ComplexValue<T> value = values[j * stride + x];
      squares += value.re * value.re + value.im * value.im;
    }
    return std::sqrt(squares);
  }
  /// out = values · max(1 − threshold/norm, 0)
  LARMOR_HOST_DEVICE void shrink(std::int64_t x, T threshold, ComplexValue<T>* out) const {
    const T size = norm(x), factor = size > threshold ? 1 - threshold / size : T(0);
    for (std::int64_t j = 0; j < joint; ++j) out[j * stride + x] = factor * values[j * stride + x];
  }
};

/// The prox of the norm over groups. Rows: outer; x: inner.
template <typename T>
struct ShrinkGroups {
  static constexpr const char* name = "shrink";
  GroupLayout groups;
  T threshold;
  const ComplexValue<T>* z;
  ComplexValue<T>* out;

  struct Line {
    GroupRow<T> row;
    T threshold;
    ComplexValue<T>* out;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const { row.shrink(x, threshold, out); }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    const std::int64_t start = row * groups.joint * groups.inner;
    return {{z + start, groups.joint, groups.inner}, threshold, out + start};
  }
};

/// out_x = √‖z_x‖, so that the sum of squares of `out` is the norm over groups.
template <typename T>
struct RootsOfGroupNorms {
  static constexpr const char* name = "norms";
  GroupLayout groups;
  const ComplexValue<T>* z;
  ComplexValue<T>* out;

  struct Line {
    GroupRow<T> row;
    ComplexValue<T>* out;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const { out[x] = {std::sqrt(row.norm(x)), 0}; }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    return {{z + row * groups.joint * groups.inner, groups.joint, groups.inner}, out + row * groups.inner};
  }
};

/// Rows (outer, z, y) of wavelet coefficients [outer, joint, z, y, x].
struct DetailRows {
  DetailBands bands;
  std::int64_t joint;

  LARMOR_HOST_DEVICE std::int64_t size() const { return bands.extent[0] * bands.extent[1] * bands.extent[2]; }
  LARMOR_HOST_DEVICE std::int64_t rows() const { return bands.extent[0] * bands.extent[1]; }
  /// Start of a row if a group has `joint` values.
  LARMOR_HOST_DEVICE std::int64_t start(std::int64_t row, std::int64_t values) const {
    return row / rows() * values * size() + row % rows() * bands.extent[2];
  }
  /// True if z or y make the whole row details.
  LARMOR_HOST_DEVICE bool all(std::int64_t row) const {
    const std::int64_t plane = row % rows();
    return bands.along(0, plane / bands.extent[1]) || bands.along(1, plane % bands.extent[1]);
  }
};

/// As ShrinkGroups, in place; coefficients that are not details are unchanged.
template <typename T>
struct ShrinkDetails {
  static constexpr const char* name = "shrink wavelet coefficients";
  DetailRows details;
  T threshold;
  ComplexValue<T>* values;

  struct Line {
    const ShrinkDetails* body;
    GroupRow<T> row;
    ComplexValue<T>* out;
    bool all;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const {
      if (all || body->details.bands.along(2, x)) row.shrink(x, body->threshold, out);
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    ComplexValue<T>* first = values + details.start(row, details.joint);
    return {this, {first, details.joint, details.size()}, first, details.all(row)};
  }
};

/// out_x = √‖z_x‖ if x is a detail, otherwise zero.
template <typename T>
struct RootsOfDetailNorms {
  static constexpr const char* name = "norms of wavelet coefficients";
  DetailRows details;
  const ComplexValue<T>* z;
  ComplexValue<T>* out;

  struct Line {
    const RootsOfDetailNorms* body;
    GroupRow<T> row;
    ComplexValue<T>* out;
    bool all;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const {
      out[x] = {all || body->details.bands.along(2, x) ? std::sqrt(row.norm(x)) : T(0), 0};
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    return {this,
            {z + details.start(row, details.joint), details.joint, details.size()},
            out + details.start(row, 1),
            details.all(row)};
  }
};

/// Shifts on the rings of the axes (z, y, x) of an array [batch, z, y, x], 0 <= shift < n.
struct RingShifts {
  static constexpr int most = 4;
  std::int64_t extent[3], rows;  ///< rows: (batch, z, y) of one array
  std::int64_t shift[most][3];

  /// The row that is moved to this one.
  LARMOR_HOST_DEVICE std::int64_t source(int which, std::int64_t row) const {
    const std::int64_t y = row % extent[1], plane = row / extent[1], slice = plane % extent[0];
    const std::int64_t from_y = (y + shift[which][1]) % extent[1];
    return (plane - slice + (slice + shift[which][0]) % extent[0]) * extent[1] + from_y;
  }
};

/// out_s(i) = factor · in(i + shift_s) for one array or several. Rows: (s, batch, z, y).
template <typename T>
struct Roll {
  static constexpr const char* name = "roll";
  RingShifts rings;
  T factor;
  const ComplexValue<T>* in;
  ComplexValue<T>* out;

  struct Line {
    const ComplexValue<T>* in;
    ComplexValue<T>* out;
    std::int64_t extent, shift;
    T factor;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const {
      const std::int64_t from = x + shift;
      out[x] = factor * in[from < extent ? from : from - extent];
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    const int which = static_cast<int>(row / rings.rows);
    const std::int64_t width = rings.extent[2];
    return {in + rings.source(which, row % rings.rows) * width, out + row * width, width,
            rings.shift[which][2], factor};
  }
};

/// out(i) = factor · Σ_s in_s(i + shift_s), or added to it. Rows: (batch, z, y).
template <typename T>
struct SumOfRolled {
  static constexpr const char* name = "sum of rolled arrays";
  RingShifts rings;
  int count;
  T factor;
  bool accumulate;
  const ComplexValue<T>* in;
  ComplexValue<T>* out;

  struct Line {
    const SumOfRolled* body;
    const ComplexValue<T>* in[RingShifts::most];
    ComplexValue<T>* out;
    LARMOR_HOST_DEVICE void operator()(std::int64_t x) const {
      const std::int64_t width = body->rings.extent[2];
      ComplexValue<T> sum = body->accumulate ? out[x] : ComplexValue<T>{0, 0};
      for (int s = 0; s < body->count; ++s) {
        const std::int64_t from = x + body->rings.shift[s][2];
        sum = sum + body->factor * in[s][from < width ? from : from - width];
      }
      out[x] = sum;
    }
  };
  LARMOR_HOST_DEVICE Line line(std::int64_t row) const {
    const std::int64_t width = rings.extent[2];
    Line line{this, {}, out + row * width};
    for (int s = 0; s < count; ++s) line.in[s] = in + (s * rings.rows + rings.source(s, row)) * width;
    return line;
  }
};

/// out = the real part of z, or, with `positive`, its part above zero.
template <typename T>
struct ProjectReal {
  static constexpr const char* name = "projection";
  bool positive;
  const ComplexValue<T>* z;
  ComplexValue<T>* out;
  LARMOR_HOST_DEVICE void operator()(std::int64_t i) const {
    const T re = z[i].re;
    out[i] = {positive && re < 0 ? T(0) : re, 0};
  }
};

}  // namespace larmor
