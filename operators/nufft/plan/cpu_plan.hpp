#pragma once

#include <larmor/core/math/line_pass.hpp>
#include <larmor/operators/nufft/grid/long_line.hpp>
#include <larmor/operators/nufft/grid/real_line.hpp>
#include <larmor/operators/nufft/plan/plan.hpp>
#include <larmor/operators/nufft/spread/cpu_gridding.hpp>

#include <array>
#include <complex>
#include <memory>
#include <vector>

namespace larmor::nufft {

/// The plan on a CPU: pruned line transforms and deapodisation around CpuGridding, in blocks of coils.
template <typename T>
class CpuPlan final : public Plan<T> {
 public:
  using C = std::complex<T>;
  CpuPlan(View<const double> trajectory, const Shape& image, const PlanOptions& options, Context& ctx);

  void forward(const C* images, C* samples, Index batch, const T* weights, double scale, Context& ctx,
               bool accumulate) const override;
  void adjoint(const C* samples, C* images, Index batch, const T* weights, double scale, Context& ctx,
               bool accumulate) const override;
  std::size_t scratch_bytes(const Context& ctx, Index batch) const override;
  std::size_t table_bytes() const override;
  Index samples() const override { return gridding_.samples(); }
  double oversampling() const override { return oversampling_; }
  const Kernel& kernel() const override { return gridding_.kernel().kernel; }

 private:
  struct Axis {
    Index image = 1, grid = 1;
    Array<T> deapodise;  // 1/φ̂ per image pixel
    // Where an image pixel lies on the periodic grid, pixel floor(N/2) at cell 0.
    Index cell_of(Index pixel) const {
      return pixel >= image / 2 ? pixel - image / 2 : pixel - image / 2 + grid;
    }
  };
  struct Passes {
    LinePass<T> x, y, z;
  };

  const Passes& passes(int lanes) const { return passes_[lanes == 1 ? 0 : lanes == 4 ? 1 : 2]; }
  bool is_long(int lanes) const { return dims_ == 1 && lanes == 1 && long_line_.buffer_size() > 0; }
  bool is_real(int lanes) const { return lanes == 1 && real_line_.work_size() > 0; }
  Index thread_buffer_size(int lanes) const;
  void image_to_grid(const C* images, Index count, C* grid, int lanes, double scale, Context& ctx) const;
  void grid_to_image(C* grid, C* images, Index count, int lanes, double scale, Context& ctx,
                     bool accumulate) const;

  int dims_ = 0;
  Index pixels_ = 1;
  double oversampling_ = 0;
  std::array<Axis, 3> axis_;      // x, y, z
  std::array<Passes, 3> passes_;  // 1, 4, 8 lanes
  LongLine<T> long_line_;         // instead of them, in one dimension, for one lane
  RealLine<T> real_line_;         // the same for the adjoint of real samples
  CpuGridding<T> gridding_;
};

}  // namespace larmor::nufft
