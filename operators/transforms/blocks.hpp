#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>
#include <larmor/operators/transforms/blocks_kernels.hpp>

namespace LARMOR_API larmor {

/// Blocks of `size` pixels along each of the last `space` axes (1 to 3) of `shape`; size 0 or more than an
/// extent means the whole extent. Without shift.
BlockGrid block_grid(const Shape& shape, int space, Index size);

/// Blocks [block, batch, pixels] of an image, and the image assembled from its blocks.
template <typename T>
void gather_blocks(const BlockGrid& grid, const std::complex<T>* image, std::complex<T>* blocks, Context& ctx,
                   Write write = Write::overwrite);
template <typename T>
void scatter_blocks(const BlockGrid& grid, const std::complex<T>* blocks, std::complex<T>* image,
                    Context& ctx, Write write = Write::overwrite);

/// Patches of an image that do not overlap and cover it: [shape] -> [blocks, batch, pixels of a block], batch
/// being the entries of the axes slower than space. Every pixel is in one block; ‖B‖ = 1, BᴴB = 1.
template <typename T>
class Blocks final : public TwoWayOperator<Blocks<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// The first block begins at (shift_z, shift_y, shift_x), the last wraps around the edge; each shift is
  /// modulo its axis.
  Blocks(const Shape& shape, int space, Index size, const std::array<Index, 3>& shift = {0, 0, 0});
  std::string name() const override { return "Blocks"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;
  /// The identity.
  OperatorPtr<T> do_normal(const NormalOptions& options, Context& ctx) const override;

 private:
  BlockGrid grid_;
};

}  // namespace larmor
