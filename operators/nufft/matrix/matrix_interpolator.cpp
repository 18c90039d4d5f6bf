#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/vector_ops.hpp>
#include <larmor/operators/nufft/matrix/cuda/matrix_interpolator.hpp>
#include <larmor/operators/nufft/matrix/matrix_interpolator.hpp>

#include <algorithm>

namespace larmor::nufft {
namespace {

constexpr Index row_chunk = 256, cell_chunk = 2048;

template <typename T>
T* reals(std::complex<T>* values) {
  return reinterpret_cast<T*>(values);
}
template <typename T>
const T* reals(const std::complex<T>* values) {
  return reinterpret_cast<const T*>(values);
}

}  // namespace

template <typename T>
CpuMatrixInterpolator<T>::CpuMatrixInterpolator(View<const double> points, const GridChoice<T>& choice,
                                                const PlanOptions& options)
    : Interpolator<T>(points.shape()[0], options.adjoint, options.forward),
      expected_(options.samples > 0 ? options.samples : points.shape()[0]) {
  const int dims = static_cast<int>(points.shape()[1]);
  const MatrixBytes bytes = matrix_bytes(points.shape()[0], dims, choice);
  bytes_per_sample_ = matrix_bytes_per_sample(dims, choice, options);
  const std::size_t order = static_cast<std::size_t>(points.shape()[0]) * sizeof(std::int32_t);
  table_bytes_ = (options.forward ? bytes.rows : order) + (options.adjoint ? bytes.transpose : 0);
  require_matrix_fits(table_bytes_, options.matrix_byte_limit);
  matrix_ = make_gridding_matrix<T>(points, choice.grid, *choice.kernel);
  // Made without points if only the memory needs of a plan are wanted.
  if (options.adjoint && this->samples() > 0) transpose_ = transposed(matrix_);
  if (!options.forward) {  // the rows are no longer needed
    matrix_.columns = Array<std::int32_t>();
    matrix_.weights = Array<T>();
  }
  for (const int lanes : {1, 4, 8})
    if (lanes_used<T>(lanes, options.batch)) products_[lanes_index(lanes)] = matrix_product<T>(lanes);
}

template <typename T>
std::size_t CpuMatrixInterpolator<T>::scratch_bytes(const Context& ctx, const Coils& coils) const {
  return std::max(Scratch::bytes<C>({ctx.threads(), row_chunk, coils.lanes}),
                  Scratch::bytes<C>({expected_, coils.lanes}));
}

template <typename T>
void CpuMatrixInterpolator<T>::interpolate(const C* grid, C* values, const T* weights, const Coils& coils,
                                           Context& ctx, bool accumulate) const {
  const int lanes = coils.lanes;
  const auto multiply = products_[lanes_index(lanes)];
  Scratch scratch(ctx);
  const auto buffers = scratch.take<C>({ctx.threads(), row_chunk, lanes});
  parallel_for(ctx, matrix_.samples, row_chunk, [&](Index begin, Index end, int thread) {
    C* found = buffers.slice(thread).data();
    for (Index first = begin; first < end; first += row_chunk) {
      const Index rows = std::min(row_chunk, end - first);
      multiply({matrix_.weights.data() + first * matrix_.length,
                matrix_.columns.data() + first * matrix_.length, nullptr, matrix_.length, rows, reals(grid),
                reals(found)});
      for (Index lane = 0; lane < coils.count; ++lane) {
        C* out = values + lane * matrix_.samples;
        for (Index i = 0; i < rows; ++i) {
          const Index j = matrix_.order[first + i];
          const C value = found[i * lanes + lane] * (weights ? weights[j] : T(1));
          out[j] = accumulate ? out[j] + value : value;
        }
      }
    }
  });
}

template <typename T>
void CpuMatrixInterpolator<T>::spread(const C* values, const T* weights, C* grid, const Coils& coils,
                                      Context& ctx) const {
  const int lanes = coils.lanes;
  if (this->samples() == 0) return fill<T>(View<C>(grid, {matrix_.cells * lanes}, ctx.device()), 0, ctx);
  const auto multiply = products_[lanes_index(lanes)];
  Scratch scratch(ctx);
  const auto sorted = scratch.take<C>({matrix_.samples, lanes});
  parallel_for(ctx, matrix_.samples, row_chunk, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      const Index j = matrix_.order[i];
      const T weight = weights ? weights[j] : T(1);
      for (Index lane = 0; lane < lanes; ++lane)
        sorted[i * lanes + lane] = lane < coils.count ? values[lane * matrix_.samples + j] * weight : C(0);
    }
  });
  parallel_for(ctx, matrix_.cells, cell_chunk, [&](Index begin, Index end, int) {
    multiply({transpose_.weights.data(), transpose_.columns.data(), transpose_.start.data() + begin, 0,
              end - begin, reals(sorted.data()), reals(grid + begin * lanes)});
  });
}

template <typename T>
std::unique_ptr<const Interpolator<T>> make_matrix_interpolator(View<const double> points,
                                                                const GridChoice<T>& choice,
                                                                const PlanOptions& options, Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu()) return std::make_unique<const CudaMatrixInterpolator<T>>(points, choice, options, ctx);
  return std::make_unique<const CpuMatrixInterpolator<T>>(points, choice, options);
}

#define LARMOR_INSTANTIATE(T)                                               \
  template class CpuMatrixInterpolator<T>;                                  \
  template std::unique_ptr<const Interpolator<T>> make_matrix_interpolator( \
      View<const double>, const GridChoice<T>&, const PlanOptions&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
