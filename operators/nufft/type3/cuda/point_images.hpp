#pragma once

#include <larmor/operators/nufft/spread/cuda/gridding.hpp>
#include <larmor/operators/nufft/type3/point_images.hpp>

namespace larmor::nufft {

/// On a CUDA device. Coils are spread in blocks that share a cell of the grid; one coil is spread onto its
/// image directly.
template <typename T>
class CudaPointImages final : public PointImages<T> {
 public:
  using C = std::complex<T>;
  CudaPointImages(View<const double> points, const std::array<Index, 3>& cells,
                  std::shared_ptr<const FittedKernel<T>> kernel, const PointImagesOptions& options,
                  Context& ctx);
  ~CudaPointImages() override;

  void spread(const C* values, C* images, Index count, Context& ctx) const override;
  void interpolate(const C* images, C* values, Index count, Context& ctx, bool accumulate) const override;
  std::size_t scratch_bytes(const Context& ctx, Index count) const override;
  std::size_t table_bytes() const override;

 private:
  cuda::Coils coils(Index count) const { return {count, gridding_.lanes()}; }
  Index grid_values(Index count) const {
    return gridding_.lanes() == 1 ? 0 : coils(count).blocks() * gridding_.lanes() * cells_;
  }
  CudaGridding<T> gridding_;
  Index cells_ = 1;
};

}  // namespace larmor::nufft
