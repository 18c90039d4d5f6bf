#pragma once

#include <larmor/core/line_pass.hpp>
#include <larmor/operators/nufft/plan.hpp>
#include <larmor/operators/nufft/spread.hpp>

#include <array>
#include <complex>
#include <memory>
#include <vector>

namespace larmor::nufft {

/// The plan on a CPU. Points are sorted into tiles of the grid once; each execute works on blocks of coils
/// ("lanes") that share the kernel weights, on a grid with the lanes fastest. Spreading writes each tile's
/// neighbourhood from one thread at a time (tiles of one colour do not touch), so there are no atomics and
/// the result has the same bits for any number of threads.
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
  Index samples() const override { return samples_; }
  double oversampling() const override { return oversampling_; }
  const Kernel& kernel() const override { return kernel_->kernel; }

 private:
  struct Axis {
    Index image = 1, grid = 1, tiles = 1;
    std::vector<T> deapodise;  // 1/φ̂ per image pixel
    Index tile_begin(Index tile) const { return tile * grid / tiles; }
    Index tile_of(Index cell) const { return ((cell + 1) * tiles - 1) / grid; }
    // Where an image pixel lies on the periodic grid, pixel floor(N/2) at cell 0.
    Index cell_of(Index pixel) const {
      return pixel >= image / 2 ? pixel - image / 2 : pixel - image / 2 + grid;
    }
  };
  struct Passes {
    LinePass<T> x, y, z;
    SpreadKernels<T> kernels;
  };
  // A tile's place on the grid, neighbourhood included.
  struct Region {
    std::array<Index, 3> begin, size;
    bool wraps = false;
  };
  struct Chunk {
    Index tile, begin, end;  // points
  };

  void choose_parameters(const Shape& image, const PlanOptions& options, Index samples);
  void sort_points(View<const double> trajectory, Context& ctx);
  void make_chunks();
  const Passes& passes(int lanes) const { return passes_[lanes == 1 ? 0 : lanes == 4 ? 1 : 2]; }
  Region region(Index tile) const;
  Index region_reals(int lanes) const;
  Index thread_buffer_size(int lanes) const;

  void image_to_grid(const C* images, Index count, C* grid, int lanes, double scale, Context& ctx,
                     View<C> buffers) const;
  void grid_to_image(C* grid, C* images, Index count, int lanes, double scale, Context& ctx, View<C> buffers,
                     bool accumulate) const;
  void spread_all(const C* samples, Index count, const T* weights, C* grid, int lanes, Context& ctx,
                  View<C> buffers) const;
  void interpolate_all(const C* grid, C* samples, Index count, const T* weights, int lanes, Context& ctx,
                       View<C> buffers, bool accumulate) const;
  void spread_points(const C* samples, Index count, const T* weights, Index begin, Index end,
                     SpreadTask<T> task, int lanes) const;
  void copy_region(const Region& region, C* grid, C* local, int lanes, bool add_to_grid) const;

  int dims_ = 0;
  Index samples_ = 0, pixels_ = 1, cells_ = 1;
  double oversampling_ = 0;
  std::array<Axis, 3> axis_;  // x, y, z
  std::shared_ptr<const FittedKernel<T>> kernel_;
  std::array<Passes, 3> passes_;  // 1, 4, 8 lanes

  // Points in tile order.
  Array<std::int32_t> order_;                // index in the caller's order
  Array<std::uint8_t> cell_;                 // [samples][4]: first cell touched, relative to the tile
  Array<T> fraction_;                        // [samples][dims]
  std::vector<Index> tile_start_;            // tiles + 1
  std::vector<Chunk> chunks_;                // for interpolation
  std::vector<std::vector<Index>> colours_;  // ordinary tiles, by colour
  std::vector<Index> crowded_;               // tiles with so many points that several threads share them
};

}  // namespace larmor::nufft
