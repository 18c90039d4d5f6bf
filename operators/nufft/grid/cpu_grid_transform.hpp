#pragma once

#include <larmor/core/math/line_pass.hpp>
#include <larmor/operators/nufft/grid/grid_transform.hpp>
#include <larmor/operators/nufft/grid/long_line.hpp>
#include <larmor/operators/nufft/grid/real_line.hpp>

#include <array>

namespace larmor::nufft {

/// The grid transform on a CPU, for one block of coils at a time: pruned transforms line by line;
/// deapodisation is part of those along x.
template <typename T>
class CpuGridTransform final : public GridTransform<T> {
 public:
  using C = std::complex<T>;
  CpuGridTransform(const Shape& image, const GridChoice<T>& choice, const GridTransformOptions& options,
                   const Context& ctx);

  void to_grid(const C* images, C* grid, const Coils& coils, double scale, Context& ctx) const override;
  void from_grid(C* grid, C* images, const Coils& coils, double scale, Context& ctx,
                 bool accumulate) const override;
  std::size_t scratch_bytes(const Context& ctx, const Coils& coils) const override;
  std::size_t table_bytes() const override;

 private:
  struct Axis {
    Index image = 1, grid = 1;
    Array<T> deapodise;  // 1/φ̂ per image pixel
    // Cells of the periodic grid at which the image pixels lie.
    Index cell_of(Index pixel) const {
      return pixel >= image / 2 ? pixel - image / 2 : pixel - image / 2 + grid;
    }
  };
  struct Passes {
    LinePass<T> x, y, z;
  };

  const Passes& passes(int lanes) const { return passes_[lanes_index(lanes)]; }
  bool is_long() const { return long_line_.buffer_size() > 0; }
  bool is_real(int lanes) const { return lanes == 1 && real_line_.work_size() > 0; }
  Index thread_buffer_size(int lanes) const;
  void pad(const C* row, T factor, C* line) const;
  void crop(const C* line, T factor, C* row, bool accumulate) const;
  void line_to_grid(const C* images, C* grid, const Coils& coils, T scale, View<C> buffers, Scratch& scratch,
                    Context& ctx) const;
  void line_from_grid(C* grid, C* images, const Coils& coils, T scale, bool accumulate, View<C> buffers,
                      Scratch& scratch, Context& ctx) const;
  // All lines along y or z that contain image pixels.
  void pass_y(C* grid, int lanes, bool to_grid, View<C> buffers, Context& ctx) const;
  void pass_z(C* grid, int lanes, bool to_grid, View<C> buffers, Context& ctx) const;
  // Row of the grid that holds row r of an image.
  Index row_start(Index r, int lanes) const;
  // Deapodisation factor of an image row.
  T row_factor(Index r, double scale) const;

  int dims_;
  Index pixels_;
  std::array<Axis, 3> axis_;      // x, y, z
  std::array<Passes, 3> passes_;  // 1, 4, 8 lanes
  LongLine<T> long_line_;         // used instead for long lines
  RealLine<T> real_line_;         // the same for the adjoint of real samples
};

}  // namespace larmor::nufft
