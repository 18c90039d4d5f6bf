#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/transforms/axis_matrix.hpp>
#include <larmor/operators/transforms/blocks_kernels.hpp>

#include <numbers>

namespace larmor {
namespace {

template <typename S>
View<S> part(View<S> flat, Index offset, const Shape& shape) {
  return View<S>(flat.data() + offset, shape, flat.device());
}

}  // namespace

Array<std::complex<double>> fourier_matrix(Index n) {
  Array<std::complex<double>> matrix({n, n});
  for (Index k = 0; k < n; ++k)
    for (Index t = 0; t < n; ++t)
      matrix[k * n + t] =
          std::polar(1 / std::sqrt(static_cast<double>(n)),
                     -2 * std::numbers::pi * static_cast<double>(k * t % n) / static_cast<double>(n));
  return matrix;
}

template <typename T>
AxisMatrix<T>::AxisMatrix(View<const std::complex<double>> matrix, const Shape& rest, const Device& device) {
  if (matrix.shape().rank() != 2)
    throw usage_error("AxisMatrix: matrix of shape {}, expected rank 2", matrix.shape().to_string());
  matrix_ = std::make_shared<const Array<Scalar>>(moved_to(device, converted<Scalar>(matrix)));
  this->set_shapes(rest.prepend(matrix.shape()[1]), rest.prepend(matrix.shape()[0]));
}
template <typename T>
void AxisMatrix<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                        Write write) const {
  const Index rows = matrix_->shape()[0], columns = matrix_->shape()[1];
  const bool transposed = way == Direction::adjoint;
  const Index width = in.size() / (transposed ? rows : columns);
  for_each_in_rows(
      ctx, transposed ? columns : rows, width,
      MixRows<T>{complex_values(matrix_->data()), columns, transposed ? rows : columns, width, transposed,
                 write == Write::accumulate, complex_values(in.data()), complex_values(out.data())});
}

template <typename T>
Remainder<T>::Remainder(const LinearOperator<T>& transform)
    : OperatorOfParts<Remainder<T>, T, OperatorBase<Remainder<T>, T>>(
          transform, {2 * transform.domain().size()},
          {transform.domain().size() + transform.codomain().size()}) {}
template <typename T>
void Remainder<T>::do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const {
  const Shape &in = this->inner().domain(), &out = this->inner().codomain();
  const Index n = in.size();
  const auto image = part(x, 0, in), sparse = part(x, n, in);
  const auto rest = part(y, 0, in);
  if (write == Write::overwrite)
    copy<T>(image, rest, ctx);
  else
    axpy<T>(1, image, rest, ctx);
  axpy<T>(-1, sparse, rest, ctx);
  this->inner().apply(sparse, part(y, n, out), ctx, write);
}
template <typename T>
void Remainder<T>::do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const {
  const Shape &in = this->inner().domain(), &out = this->inner().codomain();
  const Index n = in.size();
  const auto rest = part(y, 0, in);
  const auto image = part(x, 0, in), sparse = part(x, n, in);
  if (write == Write::overwrite)
    copy<T>(rest, image, ctx);
  else
    axpy<T>(1, rest, image, ctx);
  this->inner().adjoint(part(y, n, out), sparse, ctx, write);
  axpy<T>(-1, rest, sparse, ctx);
}

#define LARMOR_INSTANTIATE(T)   \
  template class AxisMatrix<T>; \
  template class Remainder<T>;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
