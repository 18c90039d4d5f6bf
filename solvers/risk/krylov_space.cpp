#include <larmor/solvers/problem/largest_eigenvalue.hpp>
#include <larmor/solvers/risk/krylov_space.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace LARMOR_API larmor {
namespace {

// Inner products that take one pass.
constexpr std::size_t together = 6;
// Part of a vector within the basis that is small: its rounding makes no other one necessary.
constexpr double orthogonal = 0.1;

}  // namespace

template <typename T>
KrylovSpace<T>::KrylovSpace(const LinearOperator<T>& normal, std::type_identity_t<View<const C>> b,
                            Context& ctx)
    : normal_(normal), ctx_(ctx), norm_(std::sqrt(squared_norm<T>(b, ctx))) {
  exhausted_ = norm_ == 0;
  if (exhausted_) return;
  basis_.push_back(clone<const C>(b));
  scale<T>(1 / norm_, basis_.back(), ctx);
  normal.reserve(ctx);
}

template <typename T>
bool KrylovSpace<T>::extend() {
  if (exhausted_) return false;
  ctx_.throw_if_cancelled();
  Array<C> next(normal_.domain(), ctx_.device());
  normal_.apply(basis_.back(), next, ctx_);
  diagonal_.push_back(dot<T>(basis_.back(), next, ctx_).real());
  const double before = std::sqrt(squared_norm<T>(next, ctx_));
  // Of exact arithmetic these two are all that the basis and the product have in common.
  combine<T>({{1, next},
              {-diagonal_.back(), basis_.back()},
              {size() > 1 ? -below_.back() : 0.0, basis_[basis_.size() - (size() > 1 ? 2 : 1)]}},
             next, ctx_);
  // What rounding leaves is taken away as often as it is more than a small part of the vector: twice is
  // enough (Kahan, in Parlett 1980).
  for (int pass = 0; pass < 2; ++pass)
    if (orthogonalise(next) <= orthogonal * std::sqrt(squared_norm<T>(next, ctx_))) break;
  const double norm = std::sqrt(squared_norm<T>(next, ctx_));
  exhausted_ = !(norm > 10 * std::numeric_limits<T>::epsilon() * before);
  if (exhausted_) return true;
  below_.push_back(norm);
  scale<T>(1 / norm, next, ctx_);
  basis_.push_back(std::move(next));
  return true;
}

template <typename T>
double KrylovSpace<T>::orthogonalise(View<C> next) const {
  double removed = 0;
  std::array<DotPair<T>, together> pairs;
  std::array<std::complex<double>, together> parts;
  for (std::size_t first = 0; first < basis_.size(); first += together) {
    const std::size_t count = std::min(together, basis_.size() - first);
    for (std::size_t i = 0; i < count; ++i) pairs[i] = {basis_[first + i], next};
    detail::dots<T>(pairs.data(), static_cast<int>(count), parts.data(), ctx_);
    for (std::size_t i = 0; i < count; ++i) {
      removed += std::norm(parts[i]);
      axpy<T>(-parts[i], basis_[first + i], next, ctx_);
    }
  }
  return std::sqrt(removed);
}

template <typename T>
std::vector<double> KrylovSpace<T>::projections(Index count, View<const C> x) const {
  std::vector<double> result;
  std::array<DotPair<T>, together> pairs;
  std::array<std::complex<double>, together> parts;
  for (std::size_t first = 0, all = static_cast<std::size_t>(count); first < all; first += together) {
    const std::size_t some = std::min(together, all - first);
    for (std::size_t i = 0; i < some; ++i) pairs[i] = {basis_[first + i], x};
    detail::dots<T>(pairs.data(), static_cast<int>(some), parts.data(), ctx_);
    for (std::size_t i = 0; i < some; ++i) result.push_back(parts[i].real());
  }
  return result;
}

template <typename T>
double KrylovSpace<T>::largest() const {
  return size() > 0 ? detail::largest_of_tridiagonal(diagonal_, below_) : 0;
}

template <typename T>
std::vector<double> KrylovSpace<T>::solution(Index iterations, double shift) const {
  // Gauss's elimination of a positive definite tridiagonal matrix.
  const auto n = static_cast<std::size_t>(std::min(iterations, size()));
  std::vector<double> pivot(n), y(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    pivot[i] = diagonal_[i] + shift - (i > 0 ? below_[i - 1] * below_[i - 1] / pivot[i - 1] : 0.0);
    y[i] = i > 0 ? -below_[i - 1] / pivot[i - 1] * y[i - 1] : norm_;
  }
  for (std::size_t i = n; i-- > 0;) y[i] = (y[i] - (i + 1 < n ? below_[i] * y[i + 1] : 0.0)) / pivot[i];
  return y;
}

template <typename T>
double KrylovSpace<T>::freedom(double shift) const {
  return size() > 0 ? norm_ * solution(size(), shift).front() : 0;
}

template <typename T>
Array<std::complex<T>> KrylovSpace<T>::combined(const std::vector<double>& place) const {
  Array<C> sum(normal_.domain(), ctx_.device());
  fill<T>(sum, 0, ctx_);
  for (std::size_t i = 0; i < place.size(); ++i) axpy<T>(place[i], basis_[i], sum, ctx_);
  return sum;
}

template class KrylovSpace<float>;
template class KrylovSpace<double>;

}  // namespace larmor
