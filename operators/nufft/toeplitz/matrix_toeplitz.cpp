#include <larmor/core/format_error.hpp>
#include <larmor/operators/nufft/toeplitz/matrix_convolution.hpp>
#include <larmor/operators/nufft/toeplitz/matrix_toeplitz.hpp>

namespace larmor {
namespace {

Shape with_coefficients(const Shape& coefficients, Shape shape) {
  for (int axis = coefficients.rank(); axis-- > 0;) shape = shape.prepend(coefficients[axis]);
  return shape;
}

}  // namespace

template <typename T>
MatrixToeplitz<T>::MatrixToeplitz(View<const double> trajectory, View<const Scalar> basis,
                                  const Shape& coefficients, const Shape& image_shape, Index batch,
                                  double tolerance, double factor, Context& ctx)
    : coils_(std::max<Index>(1, batch)), coefficients_(coefficients) {
  if (basis.shape().rank() != 2 || basis.shape()[0] != coefficients.size() ||
      basis.shape()[1] != trajectory.shape()[0])
    throw usage_error("MatrixToeplitz: basis of shape {}, expected [{}, {}]", basis.shape().to_string(),
                      coefficients.size(), trajectory.shape()[0]);
  auto spectra = nufft::matrix_spectra<T>(trajectory, basis, image_shape, tolerance, factor, ctx);
  convolution_ = nufft::make_matrix_convolution<T>(image_shape, coils_, std::move(spectra), ctx);
  const Shape shape = with_coefficients(coefficients, batch > 0 ? image_shape.prepend(batch) : image_shape);
  this->set_shapes(shape, shape);
}

template <typename T>
bool MatrixToeplitz<T>::real() const {
  return convolution_->pairs().real;
}
template <typename T>
std::size_t MatrixToeplitz<T>::scratch_bytes(const Context& ctx) const {
  return convolution_->scratch_bytes(ctx);
}
template <typename T>
std::size_t MatrixToeplitz<T>::table_bytes() const {
  return convolution_->table_bytes();
}
template <typename T>
std::size_t MatrixToeplitz<T>::scratch_bytes(const Shape& image_shape, Index coefficients, Index batch,
                                             Context& ctx) {
  return nufft::matrix_convolution_scratch_bytes<T>(image_shape, coefficients, std::max<Index>(1, batch),
                                                    ctx);
}
template <typename T>
std::size_t MatrixToeplitz<T>::table_bytes(const Shape& image_shape, Index coefficients, bool complex_basis,
                                           const Context& ctx) {
  const nufft::ToeplitzSizes sizes(image_shape, ToeplitzForm::padded, ctx.device());
  const nufft::HermitianPairs pairs{coefficients, !complex_basis};
  return static_cast<std::size_t>(pairs.count() * sizes.frequencies()) * sizeof(T);
}

template <typename T>
void MatrixToeplitz<T>::run(Direction, View<const Scalar> in, View<Scalar> out, Context& ctx,
                            Write write) const {
  convolution_->convolve(in.data(), out.data(), write == Write::accumulate, ctx);
}

template <typename T>
SenseMatrixToeplitz<T>::SenseMatrixToeplitz(const MatrixToeplitz<T>& toeplitz, const CoilMaps<T>& maps)
    : toeplitz_(std::make_shared<const MatrixToeplitz<T>>(toeplitz)),
      maps_(std::make_shared<const CoilMaps<T>>(maps)) {
  if (!(with_coefficients(toeplitz.coefficients_, maps.codomain()) == toeplitz.domain()))
    throw internal_error("SenseMatrixToeplitz: matrix Toeplitz on {}, but maps of shape {}",
                         toeplitz.domain().to_string(), maps.codomain().to_string());
  const Shape shape = with_coefficients(toeplitz.coefficients_, maps.domain());
  this->set_shapes(shape, shape);
}
template <typename T>
std::size_t SenseMatrixToeplitz<T>::scratch_bytes(const Context& ctx) const {
  return toeplitz_->scratch_bytes(ctx);
}
template <typename T>
std::size_t SenseMatrixToeplitz<T>::table_bytes() const {
  return toeplitz_->table_bytes() + maps_->table_bytes();
}
template <typename T>
void SenseMatrixToeplitz<T>::run(Direction, View<const Scalar> in, View<Scalar> out, Context& ctx,
                                 Write write) const {
  toeplitz_->convolution_->sense(in.data(), maps_->maps().data(), out.data(), write == Write::accumulate,
                                 ctx);
}

template class MatrixToeplitz<float>;
template class MatrixToeplitz<double>;
template class SenseMatrixToeplitz<float>;
template class SenseMatrixToeplitz<double>;

}  // namespace larmor
