#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/export.hpp>
#include <larmor/operators/nufft/spread/coordinates.hpp>

#include <array>

namespace LARMOR_API larmor {
namespace nufft {

/// The points of a plan in the caller's memory: rows of doubles, or a column for each axis. Not owned.
template <typename T>
class Points {
 public:
  /// rows [count, dims], columns x, y, z, times `scale` in cycles; on a GPU the scale is 1.
  Points(View<const double> rows, double scale = 1);
  Points(const Array<double>& rows) : Points(rows.view()) {}
  /// Columns on the CPU, times `scale` in cycles.
  Points(const std::array<const T*, 3>& columns, Index count, int dims, double scale);

  Index count() const { return shape_[0]; }
  int dims() const { return static_cast<int>(shape_[1]); }
  const Shape& shape() const { return shape_; }  ///< [count, dims]
  Device device() const { return device_; }
  const Coordinates<T>& coordinates() const { return coordinates_; }
  /// On the CPU; in cycles.
  double coordinate(Index point, int axis) const;
  /// The rows themselves if they are in cycles; otherwise, on the CPU, `made` is filled with them.
  View<const double> in_rows(Array<double>& made, Context& ctx) const;

 private:
  Shape shape_;
  Device device_;
  Coordinates<T> coordinates_;
};

}  // namespace nufft
}  // namespace larmor
