#pragma once

#include <larmor/operators/linear_operator.hpp>

#include <vector>

namespace larmor {

/// Largest eigenvalue of a positive semi-definite operator, by Lanczos' process from a fixed random vector
/// (Kuczyński & Woźniakowski 1992): until it grows by less than `tolerance` relative in the last quarter of
/// the steps (at least 1e-5 in single precision), or for `iterations`. With the defaults, to 1e-6 in double
/// precision, also for Cartesian scans, whose largest eigenvalues are clustered; in single precision to 1e-3,
/// in fewer products, because it scales λ and step lengths, which need no more. It does not exceed the true
/// one except by rounding. For a block-diagonal operator it is the largest of the blocks' own, also if ranks
/// sum the blocks or divide them among themselves.
template <typename T>
double largest_eigenvalue(const LinearOperator<T>& normal, Context& ctx,
                          int iterations = sizeof(T) == 4 ? 200 : 1000,
                          double tolerance = sizeof(T) == 4 ? 1e-3 : 1e-7);

namespace detail {
/// The largest eigenvalue of the symmetric tridiagonal matrix with these values on and (at least one fewer)
/// below the diagonal, to rounding: bisection with Sturm sequences. Throws Error (internal) if there are
/// none.
double largest_of_tridiagonal(const std::vector<double>& diagonal, const std::vector<double>& below);
}  // namespace detail

}  // namespace larmor
