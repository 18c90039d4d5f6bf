#include <larmor/core/format_error.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/transforms/gradient.hpp>

#include <cmath>
#include <numbers>

namespace larmor {
namespace {

double gradient_norm_squared(const DifferenceAxes& axes) {
  double sum = 0;
  for (int k = 0; k < axes.count; ++k)
    sum += std::pow(2 * std::cos(std::numbers::pi / (2 * static_cast<double>(axes.extent[k]))), 2);
  return sum;
}

Index rows_of(const DifferenceAxes& axes) {
  return axes.size / std::max<Index>(axes.width, 1);
}
int components_of(const DifferenceAxes& axes) {
  return axes.count * (axes.count + 1) / 2;
}

template <typename T>
void forward(const DifferenceAxes& axes, const std::complex<T>* x, const std::complex<T>* minus,
             std::complex<T>* y, Context& ctx, Write write) {
  for_each_in_rows(ctx, axes.count * rows_of(axes), axes.width,
                   ForwardDifferences<T>{axes, complex_values(x), complex_values(minus), complex_values(y),
                                         write == Write::accumulate});
}
template <typename T>
void forward_adjoint(const DifferenceAxes& axes, const std::complex<T>* y, std::complex<T>* x, Context& ctx,
                     Write write) {
  for_each_in_rows(
      ctx, rows_of(axes), axes.width,
      ForwardDifferencesAdjoint<T>{axes, complex_values(y), complex_values(x), write == Write::accumulate});
}
template <typename T>
void symmetrized(const DifferenceAxes& axes, const std::complex<T>* v, std::complex<T>* y, Context& ctx,
                 Write write) {
  for_each_in_rows(
      ctx, components_of(axes) * rows_of(axes), axes.width,
      SymmetrizedDifferences<T>{axes, complex_values(v), complex_values(y), write == Write::accumulate});
}
template <typename T>
void symmetrized_adjoint(const DifferenceAxes& axes, const std::complex<T>* y, const std::complex<T>* minus,
                         std::complex<T>* v, Context& ctx, Write write) {
  for_each_in_rows(ctx, axes.count * rows_of(axes), axes.width,
                   SymmetrizedDifferencesAdjoint<T>{axes, complex_values(y), complex_values(minus),
                                                    complex_values(v), write == Write::accumulate});
}

}  // namespace

DifferenceAxes difference_axes(const char* name, const Shape& shape, const std::vector<int>& axes) {
  const int rank = shape.rank();
  bool valid = rank > 0 && !axes.empty() && axes.size() <= 4;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    valid = valid && axes[k] >= 0 && axes[k] < rank;
    for (std::size_t other = 0; other < k; ++other) valid = valid && axes[k] != axes[other];
  }
  if (!valid)
    throw usage_error("{}: expected one to four different axes of an array of shape {}", name,
                      shape.to_string());
  DifferenceAxes result{static_cast<int>(axes.size()), {}, {}, {}, shape.size(), shape[rank - 1]};
  for (int k = 0; k < result.count; ++k) {
    const int axis = axes[static_cast<std::size_t>(k)];
    result.extent[k] = shape[axis];
    result.stride[k] = shape.drop_front(axis + 1).size();
    result.fastest[k] = axis == rank - 1;
  }
  return result;
}

std::vector<int> last_axes(int rank, int count) {
  std::vector<int> axes;
  for (int axis = rank - count; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

template <typename T>
Gradient<T>::Gradient(const Shape& shape, const std::vector<int>& axes)
    : axes_(difference_axes("Gradient", shape, axes)) {
  this->set_shapes(shape, shape.prepend(axes_.count));
}
template <typename T>
double Gradient<T>::norm_squared() const {
  return gradient_norm_squared(axes_);
}
template <typename T>
void Gradient<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                      Write write) const {
  if (way == Direction::forward)
    forward<T>(axes_, in.data(), nullptr, out.data(), ctx, write);
  else
    forward_adjoint<T>(axes_, in.data(), out.data(), ctx, write);
}

template <typename T>
TgvDifferences<T>::TgvDifferences(const Shape& shape, const std::vector<int>& axes)
    : axes_(difference_axes("TgvDifferences", shape, axes)) {
  this->set_shapes({(1 + axes_.count) * shape.size()}, {(axes_.count + components_of(axes_)) * shape.size()});
}
template <typename T>
double TgvDifferences<T>::norm_squared_bound() const {
  const double a = gradient_norm_squared(axes_), b = 4.0 * axes_.count;
  // The larger eigenvalue of [[a², a], [a, 1 + b²]].
  return (a + 1 + b + std::sqrt(std::pow(a - 1 - b, 2) + 4 * a)) / 2;
}
template <typename T>
void TgvDifferences<T>::run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx,
                            Write write) const {
  const Index field = axes_.size, differences = axes_.count * axes_.size;
  if (way == Direction::forward) {
    forward<T>(axes_, in.data(), in.data() + field, out.data(), ctx, write);
    symmetrized<T>(axes_, in.data() + field, out.data() + differences, ctx, write);
  } else {
    forward_adjoint<T>(axes_, in.data(), out.data(), ctx, write);
    symmetrized_adjoint<T>(axes_, in.data() + differences, in.data(), out.data() + field, ctx, write);
  }
}

#define LARMOR_INSTANTIATE(T) \
  template class Gradient<T>; \
  template class TgvDifferences<T>;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
