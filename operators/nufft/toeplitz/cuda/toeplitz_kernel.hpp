#pragma once

#include <larmor/operators/nufft/grid/cuda/line_passes.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz_kernel.hpp>

namespace larmor::nufft {

/// A length >= n for which the device's own line transforms are fast.
Index cuda_fast_length(Index n);

/// The convolution on a CUDA device: three passes in 2D and for separate planes, five in 3D, including coil
/// maps and coil sum. In 2D and 3D the outermost axis is padded in shared memory, inner axes on the grid. In
/// 1D the axis is padded on the grid. Axes of 2D and 3D must fit in shared memory.
template <typename T>
class CudaToeplitzKernel final : public ToeplitzKernel<T> {
 public:
  using C = std::complex<T>;
  CudaToeplitzKernel(SharedSpectra<T> spectra, Index coils, const Device& device);
  ~CudaToeplitzKernel() override;
  CudaToeplitzKernel(const CudaToeplitzKernel&) = delete;
  CudaToeplitzKernel& operator=(const CudaToeplitzKernel&) = delete;

  std::size_t scratch_bytes(const Context& ctx, Index coils) const override;
  /// Upper bound of the scratch for grids of these sizes and smaller ones. Smaller grids process more blocks
  /// of coils together.
  static std::size_t most_scratch_bytes(const ToeplitzSizes& sizes, Index coils);

 private:
  void run(const C* x, const C* maps, C* y, Index coils, bool accumulate, const ImageWindow& window,
           Context& ctx) const override;
  // Lengths of an axis's transforms and of the axis on the grid.
  int line_length(int axis) const;
  int grid_length(int axis) const;
  cuda::RowPass<T> row_pass(C* grid, const Coils& coils) const;
  cuda::LinePass<T> line_pass(int axis, C* grid, const Coils& coils) const;

  Array<std::byte> line_tables_[3];
  larmor::cuda::LineFft<T> line_[3];
  int long_plan_ = 0;  // cufftHandle, 1D
  std::size_t long_work_bytes_ = 0;
};

}  // namespace larmor::nufft
