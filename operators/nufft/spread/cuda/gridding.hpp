#pragma once

#include <larmor/operators/nufft/kernel/grid_choice.hpp>
#include <larmor/operators/nufft/spread/cuda/cost_model.hpp>
#include <larmor/operators/nufft/spread/cuda/line/any_order.hpp>
#include <larmor/operators/nufft/spread/cuda/line/cell_moments.hpp>
#include <larmor/operators/nufft/spread/cuda/line/moments.hpp>
#include <larmor/operators/nufft/spread/cuda/tiles/spread.hpp>
#include <larmor/operators/nufft/spread/interpolator.hpp>

#include <array>
#include <complex>
#include <memory>
#include <optional>

namespace larmor::nufft {

/// Points sorted by small bins of a periodic grid; owns their arrays.
template <typename T>
class SortedPoints {
 public:
  SortedPoints() = default;
  /// of: sizes and kernel; bins of `bin` cells; coordinates on the context's device. require_finite() checks
  /// that they are finite.
  SortedPoints(const cuda::Points<T>& of, const std::int32_t (&bin)[3], View<const double> coordinates,
               Context& ctx);
  const cuda::Points<T>& points() const { return points_; }
  std::size_t bytes() const { return tables_.view().bytes(); }
  /// Waits for the sort and throws Error (input) for points that are not finite. Must be called before other
  /// sums on this context, which use the same place in host memory.
  void require_finite(const Context& ctx) const;

 private:
  Array<std::byte> tables_;
  cuda::Points<T> points_{};
};

struct CudaGriddingOptions {
  int lanes = 1;
  Index coils = 1;  ///< expected
  bool spread = true, interpolate = true;
  bool sorted_once = false;  ///< one sort order for both directions: needs less memory; by tiles
  /// std::nullopt: the cheapest method, unless points are too clustered for it.
  std::optional<cuda::Way> way = std::nullopt;
  /// Number of points for which scratch and tables are counted if there are no points.
  Index expected_samples = 0;
};

/// Spreading of points onto a periodic grid and interpolation from it, on a CUDA device. Points are sorted
/// once; a grid holds blocks of coils, those of a block fastest.
template <typename T>
class CudaGridding final : public Interpolator<T> {
 public:
  using C = std::complex<T>;
  /// points [samples, dims] on the context's device, columns x, y, z, periodic with 1: 0 is the centre of
  /// cell 0. grid: x, y, z. Throws Error: usage for grids that are too large. Points that are not finite are
  /// reported here (input) or later by require_finite().
  CudaGridding(View<const double> points, const std::array<Index, 3>& grid,
               std::shared_ptr<const FittedKernel<T>> kernel, const CudaGriddingOptions& options,
               Context& ctx);

  void spread(const C* values, const T* weights, C* grid, const Coils& coils, Context& ctx) const override;
  void interpolate(const C* grid, C* values, const T* weights, const Coils& coils, Context& ctx,
                   bool accumulate) const override;
  std::size_t scratch_bytes(const Context& ctx, const Coils& coils) const override;
  /// With expected samples: tables of the grid only, without those that grow with the samples.
  std::size_t table_bytes() const override;
  std::size_t bytes_per_sample() const override;
  void require_finite(const Context& ctx) const override;
  /// The method chosen for a direction.
  cuda::Way way(bool spreading) const { return spreading ? spreading_by_ : interpolating_by_; }

 private:
  using Way = cuda::Way;
  cuda::GriddingSizes counted_sizes() const;
  void sort_line(View<const double> points, Context& ctx);
  void sort_by_cell(View<const double> points, Context& ctx);
  void sort_for_interpolation(View<const double> points, Context& ctx);
  void sort_for_spreading(View<const double> points, Context& ctx);
  void place_line(View<const double> points, Context& ctx);
  void sort_for_moments(View<const double> points, Context& ctx);
  cuda::Points<T> counted_points() const;

  CudaGriddingOptions options_;
  std::shared_ptr<const FittedKernel<T>> kernel_;
  Array<T> coefficients_;
  cuda::Points<T> sizes_{};
  Way spreading_by_ = Way::tiles, interpolating_by_ = Way::tiles;
  // For the methods by tiles and in the plane. Spreading needs small bins, interpolation large ones.
  SortedPoints<T> spreading_, interpolating_;
  // For the methods in the caller's order, by cells, and by moments.
  cuda::UnsortedPoints<T> in_order_{};
  Array<std::byte> in_order_tables_;
  cuda::CellPoints<T> cells_{};
  cuda::MomentPoints<T> moments_{};
  Array<std::byte> spread_tables_;
  cuda::SpreadTasks tasks_{};
};

}  // namespace larmor::nufft
