#pragma once

#include <larmor/core/context.hpp>
#include <larmor/core/export.hpp>

#include <array>
#include <complex>

namespace LARMOR_API larmor {

// Vector operations for solvers. All views of one call have the same size; sums are in double over fixed
// chunks, so that results have the same bits for any number of threads. T is float or double.

/// Σ conj(x_i) y_i
template <typename T>
std::complex<double> dot(View<const std::complex<T>> x, std::type_identity_t<View<const std::complex<T>>> y,
                         Context& ctx);
/// Several inner products Σ conj(x_i) y_i in one pass and, on a GPU, with one read-back; at most 6.
template <typename T>
struct DotPair {
  View<const std::complex<T>> x, y;
};
template <typename T, std::size_t pairs>
std::array<std::complex<double>, pairs> dots(const DotPair<T> (&operands)[pairs], Context& ctx);
/// Σ |x_i|²
template <typename T>
double squared_norm(View<const std::complex<T>> x, Context& ctx);
/// max |x_i|
template <typename T>
double max_magnitude(View<const std::complex<T>> x, Context& ctx);
/// y += a x
template <typename T>
void axpy(std::complex<double> a, View<const std::complex<T>> x,
          std::type_identity_t<View<std::complex<T>>> y, Context& ctx);
/// y = x + b y
template <typename T>
void xpby(View<const std::complex<T>> x, std::complex<double> b,
          std::type_identity_t<View<std::complex<T>>> y, Context& ctx);
/// x *= a
template <typename T>
void scale(std::complex<double> a, View<std::complex<T>> x, Context& ctx);
/// out = Σ a_i x_i in one pass, real factors, at most 6 terms; out may be one of the x_i.
template <typename T>
struct ScaledVector {
  double factor;
  View<const std::complex<T>> x;
};
template <typename T, std::size_t terms>
void combine(const ScaledVector<T> (&sum)[terms], std::type_identity_t<View<std::complex<T>>> out,
             Context& ctx);
/// y = x
template <typename T>
void copy(View<const std::complex<T>> x, std::type_identity_t<View<std::complex<T>>> y, Context& ctx);
/// x = value everywhere
template <typename T>
void fill(View<std::complex<T>> x, std::complex<double> value, Context& ctx);

namespace detail {
template <typename T>
void dots(const DotPair<T>* operands, int pairs, std::complex<double>* results, Context& ctx);
template <typename T>
void combine(const ScaledVector<T>* sum, int terms, View<std::complex<T>> out, Context& ctx);
}  // namespace detail
template <typename T, std::size_t pairs>
std::array<std::complex<double>, pairs> dots(const DotPair<T> (&operands)[pairs], Context& ctx) {
  static_assert(pairs <= 6);
  std::array<std::complex<double>, pairs> results;
  detail::dots<T>(operands, static_cast<int>(pairs), results.data(), ctx);
  return results;
}
template <typename T, std::size_t terms>
void combine(const ScaledVector<T> (&sum)[terms], std::type_identity_t<View<std::complex<T>>> out,
             Context& ctx) {
  static_assert(terms <= 6);
  detail::combine<T>(sum, static_cast<int>(terms), out, ctx);
}

}  // namespace larmor
