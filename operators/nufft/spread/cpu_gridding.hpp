#pragma once

#include <larmor/operators/nufft/kernel/grid_choice.hpp>
#include <larmor/operators/nufft/spread/interpolator.hpp>
#include <larmor/operators/nufft/spread/place.hpp>
#include <larmor/operators/nufft/spread/points.hpp>
#include <larmor/operators/nufft/spread/spread.hpp>
#include <larmor/operators/nufft/spread/tile_order.hpp>

#include <array>
#include <complex>
#include <memory>
#include <vector>

namespace larmor::nufft {

/// Cells of a tile along each axis, by number of dimensions.
inline constexpr Index tile_cells[3] = {128, 16, 8};

/// Spreading of points onto a periodic grid and interpolation from it, on a CPU. Points are sorted into tiles
/// of the grid once. Each call processes a block of coils ("lanes") that share the kernel weights, on a grid
/// with the lanes fastest. Tiles are spread by colour, and tiles of one colour do not overlap, so there are
/// no atomics and the result has the same bits for any number of threads.
template <typename T>
class CpuGridding final : public Interpolator<T> {
 public:
  using C = std::complex<T>;
  /// points: periodic with 1; 0 is the centre of cell 0. grid: x, y, z. expected_samples: number of points
  /// that scratch is counted for if there are none. Throws Error: input for points that are not finite, usage
  /// for grids that are too large.
  CpuGridding(const Points<T>& points, const std::array<Index, 3>& grid,
              std::shared_ptr<const FittedKernel<T>> kernel, Index batch, Index expected_samples,
              Context& ctx);

  void spread(const C* values, const T* weights, C* grid, const Coils& coils, Context& ctx) const override;
  void interpolate(const C* grid, C* values, const T* weights, const Coils& coils, Context& ctx,
                   bool accumulate) const override;
  std::size_t scratch_bytes(const Context& ctx, const Coils& coils) const override;
  std::size_t table_bytes() const override;
  std::size_t bytes_per_sample() const override { return static_cast<std::size_t>(record_bytes()); }
  Index cells() const { return axis_[0].grid * axis_[1].grid * axis_[2].grid; }

 private:
  struct Axis {
    Index grid = 1, tiles = 1;
    Index blocks = 1;  // groups of tiles that are spread together
    PlaceAxis place;
    std::vector<std::int32_t> begin;  // index of the first cell of each tile, and the end
    Index block_cells = 1;            // of the largest block
    Index first_tile(Index block) const { return tiles * block / blocks; }
  };
  // Region of the grid that tiles cover, including the margin that their points reach.
  struct Region {
    std::array<Index, 3> begin, size;
    bool wraps = false;
  };
  // Neighbouring tiles whose points are spread into one copy of their region.
  struct Block {
    std::array<Index, 3> first, last;  // tiles along each axis; `last` is one past the end
    Index points;
  };
  struct Piece {
    Block block;
    Index piece, pieces;  // index, number of pieces of the block
  };
  struct Chunk {
    Index tile, begin, end;  // points
  };

  void set_up_axes(const std::array<Index, 3>& grid, Index batch, Index samples);
  // processed together: blocks of several tiles if there are many
  void set_up_blocks(bool together);
  // The block of tiles `first` to `last`.
  Block block(const std::array<Index, 3>& first, const std::array<Index, 3>& last) const;
  Index first_point(const Block& block) const {
    const auto& [x, y, z] = block.first;
    return sorted_.tile_start[(z * axis_[1].tiles + y) * axis_[0].tiles + x];
  }
  void make_chunks();
  void make_blocks();
  Index pieces_of(const Block& block) const;
  Index most_pieces(Index samples) const;
  const SpreadKernels<T>& kernels(int lanes) const { return kernels_[lanes_index(lanes)]; }
  Index record_bytes() const { return 8 + dims_ * static_cast<Index>(sizeof(T)); }
  const std::byte* record(Index point) const { return sorted_.records.data() + point * record_bytes(); }
  /// Index of the point in the caller's order.
  std::int32_t sample(Index point) const { return *reinterpret_cast<const std::int32_t*>(record(point)); }
  Region region(const std::array<Index, 3>& first, const std::array<Index, 3>& last) const;
  Region region(Index tile) const;
  bool worth_a_copy(const Region& region, Index points, int lanes) const;
  // Number of parts in which points are spread, so that sums stay short.
  Index rounds(const Region& region, Index points) const;
  Index local_row(Index cells, int lanes) const;
  Index region_values(int lanes) const;
  SpreadTask<T> task(C* values) const;
  void spread_points(const C* samples, Index count, const T* weights, Index begin, Index end, Index next,
                     SpreadTask<T> task, int lanes) const;
  void spread_block(const Block& block, const C* samples, Index count, const T* weights, Index piece,
                    Index pieces, Index following, const SpreadTask<T>& task, int lanes) const;
  template <typename Use>
  void for_boxes(const Region& region, int lanes, const Use& use) const;
  void copy_region(const Region& region, const C* grid, C* local, int lanes) const;
  void add_region(const Region& region, const C* local, C* grid, int lanes) const;
  void add_part(const Region& region, const View<const C>& copies, C* grid, Index begin, Index end,
                int lanes) const;
  void add_copies(const View<const C>& copies, C* grid, int lanes, Context& ctx) const;

  int dims_;
  Index samples_;
  std::array<Axis, 3> axis_;  // x, y, z
  std::shared_ptr<const FittedKernel<T>> kernel_;
  std::array<SpreadKernels<T>, 3> kernels_;  // 1, 4, 8 lanes

  TileOrder sorted_;
  std::vector<Chunk> chunks_;                // for interpolation
  std::vector<std::vector<Block>> colours_;  // ordinary blocks, by colour
  Index most_pieces_ = 0;                    // that scratch is counted for
  std::vector<Piece> pieces_;                // of crowded blocks, with enough points for several threads
};

}  // namespace larmor::nufft
