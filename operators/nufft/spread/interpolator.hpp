#pragma once

#include <larmor/core/context.hpp>
#include <larmor/operators/nufft/kernel/coils.hpp>

#include <complex>

namespace larmor::nufft {

/// Interpolation between points and a periodic grid, on one device. Callers see points in their own order;
/// grids are [block][z][y][x][lane].
template <typename T>
class Interpolator {
 public:
  using C = std::complex<T>;
  virtual ~Interpolator() = default;

  /// grid = Σ_j weight_j values_j φ(· − point_j), values [coils.count, samples]; every cell is written.
  /// weights: in the caller's order, or null for 1.
  virtual void spread(const C* values, const T* weights, C* grid, const Coils& coils, Context& ctx) const = 0;
  /// values_j = weight_j Σ_cells φ(cell − point_j) grid, or added to values.
  virtual void interpolate(const C* grid, C* values, const T* weights, const Coils& coils, Context& ctx,
                           bool accumulate) const = 0;

  virtual std::size_t scratch_bytes(const Context& ctx, const Coils& coils) const = 0;
  virtual std::size_t table_bytes() const = 0;
  /// Bytes by which each further sample enlarges the tables, about.
  virtual std::size_t bytes_per_sample() const = 0;
  /// Throws Error (input) for points that are not finite. Call it after all other set-up of a plan has been
  /// started: a device is still sorting points when the constructor returns.
  virtual void require_finite(const Context&) const {}

  Index samples() const { return samples_; }
  /// The directions that it supports.
  bool spreads() const { return spreads_; }
  bool interpolates() const { return interpolates_; }

 protected:
  Interpolator(Index samples, bool spreads, bool interpolates)
      : samples_(samples), spreads_(spreads), interpolates_(interpolates) {}

 private:
  Index samples_;
  bool spreads_, interpolates_;
};

}  // namespace larmor::nufft
