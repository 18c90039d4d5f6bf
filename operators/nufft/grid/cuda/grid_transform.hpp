#pragma once

#include <larmor/operators/nufft/grid/cuda/line_passes.hpp>
#include <larmor/operators/nufft/grid/cuda/long_lines.hpp>
#include <larmor/operators/nufft/grid/grid_transform.hpp>

namespace larmor::nufft {

/// The grid transform on a CUDA device, for several blocks of coils at a time. Only lines that can be nonzero
/// are transformed. Axes too long for shared memory use a cuFFT plan.
template <typename T>
class CudaGridTransform final : public GridTransform<T> {
 public:
  using C = std::complex<T>;
  CudaGridTransform(const Shape& image, const GridChoice<T>& choice, const GridTransformOptions& options,
                    Context& ctx);
  ~CudaGridTransform() override;
  CudaGridTransform(const CudaGridTransform&) = delete;
  CudaGridTransform& operator=(const CudaGridTransform&) = delete;

  void to_grid(const C* images, C* grid, const Coils& coils, double scale, Context& ctx) const override;
  void from_grid(C* grid, C* images, const Coils& coils, double scale, Context& ctx,
                 bool accumulate) const override;
  std::size_t scratch_bytes(const Context& ctx, const Coils& coils) const override;
  std::size_t table_bytes() const override;

 private:
  // Axes in the order x, y, z; missing axes have length 1.
  struct Axis {
    int image = 1, grid = 1;
    Array<T> deapodise;               // empty if an earlier axis has the same lengths
    const T* factors = nullptr;       // in `deapodise`
    Array<std::byte> line_tables;     // empty if an earlier axis has the same length
    larmor::cuda::LineFft<T> line{};  // for axes that fit into shared memory
    int long_plan = 0;                // cufftHandle for longer axes
    int rows_plan = 0, rows = 0;      // plan for several contiguous rows
  };
  cuda::RowPass<T> row_pass(C* grid, const Coils& coils) const;
  cuda::LinePass<T> line_pass(int axis, C* grid, const Coils& coils) const;
  cuda::LongPlan long_plan(int axis, void* work) const {
    return {axis_[axis].long_plan, work, axis_[axis].rows_plan, axis_[axis].rows};
  }

  int dims_;
  Axis axis_[3];
  std::size_t long_work_bytes_ = 0;  // largest work area of the plans
};

}  // namespace larmor::nufft
