#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/operators/nufft/matrix/cuda/matrix_interpolator.hpp>
#include <larmor/operators/nufft/matrix/cuda/matrix_product.hpp>
#include <larmor/operators/nufft/matrix/gridding_matrix.hpp>

namespace larmor::nufft {

template <typename T>
CudaMatrixInterpolator<T>::CudaMatrixInterpolator(View<const double> points, const GridChoice<T>& choice,
                                                  const PlanOptions& options, Context& ctx)
    : Interpolator<T>(points.shape()[0], options.adjoint, options.forward),
      expected_(options.samples > 0 ? options.samples : points.shape()[0]) {
  const int dims = static_cast<int>(points.shape()[1]);
  const MatrixBytes bytes = matrix_bytes(points.shape()[0], dims, choice);
  bytes_per_sample_ = matrix_bytes_per_sample(dims, choice, options);
  const std::size_t order = static_cast<std::size_t>(points.shape()[0]) * sizeof(std::int32_t);
  table_bytes_ = (options.forward ? bytes.rows : order) + (options.adjoint ? bytes.transpose : 0);
  require_matrix_fits(table_bytes_, options.matrix_byte_limit);
  const Device device = ctx.device();
  auto matrix = make_gridding_matrix<T>(points, choice.grid, *choice.kernel);
  cells_ = matrix.cells;
  length_ = matrix.length;
  order_ = copied_to(device, matrix.order);
  // Constructed without points if only the memory needs of a plan are wanted.
  if (options.adjoint && this->samples() > 0) {
    auto transpose = transposed(matrix);
    transposed_start_ = moved_to(device, std::move(transpose.start));
    transposed_columns_ = moved_to(device, std::move(transpose.columns));
    transposed_weights_ = moved_to(device, std::move(transpose.weights));
  }
  if (options.forward) {
    columns_ = moved_to(device, std::move(matrix.columns));
    weights_ = moved_to(device, std::move(matrix.weights));
  }
}

template <typename T>
void CudaMatrixInterpolator<T>::interpolate(const C* grid, C* values, const T* weights, const Coils& coils,
                                            Context& ctx, bool accumulate) const {
  const cuda::DeviceMatrix<T> matrix{weights_.data(), columns_.data(), nullptr, length_, this->samples()};
  cuda::multiply_to_samples(matrix, grid, order_.data(), weights, values, coils.count, coils.lanes,
                            accumulate, ctx.stream());
}

template <typename T>
void CudaMatrixInterpolator<T>::spread(const C* values, const T* weights, C* grid, const Coils& coils,
                                       Context& ctx) const {
  if (this->samples() == 0) return fill<T>(View<C>(grid, {cells_ * coils.lanes}, ctx.device()), 0, ctx);
  Scratch scratch(ctx);
  const auto sorted = scratch.take<C>({this->samples(), coils.lanes});
  cuda::sort_samples(values, coils.count, this->samples(), order_.data(), weights, sorted.data(), coils.lanes,
                     ctx.stream());
  const cuda::DeviceMatrix<T> matrix{transposed_weights_.data(), transposed_columns_.data(),
                                     transposed_start_.data(), 0, cells_};
  cuda::multiply_to_grid(matrix, sorted.data(), grid, coils.lanes, ctx.stream());
}

template <typename T>
std::size_t CudaMatrixInterpolator<T>::scratch_bytes(const Context&, const Coils& coils) const {
  return this->spreads() ? Scratch::bytes<C>({expected_, coils.lanes}) : 0;
}

template class CudaMatrixInterpolator<float>;
template class CudaMatrixInterpolator<double>;

}  // namespace larmor::nufft
