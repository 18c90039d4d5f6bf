#pragma once

#include "random_arrays.hpp"

#include <larmor/operators/linear_operator.hpp>

#include <Eigen/Core>

namespace larmor::test {

/// An operator as a dense matrix, column by column.
template <typename T>
Eigen::MatrixXcd dense_matrix(const LinearOperator<T>& A, Context& ctx) {
  using C = std::complex<T>;
  Eigen::MatrixXcd matrix(A.codomain().size(), A.domain().size());
  for (Index column = 0; column < A.domain().size(); ++column) {
    auto unit = filled<C>(A.domain(), 0);
    unit[column] = 1;
    const auto values = fetched(A.apply(moved_to(ctx.device(), std::move(unit)), ctx));
    for (Index row = 0; row < values.size(); ++row) matrix(row, column) = std::complex<double>(values[row]);
  }
  return matrix;
}

}  // namespace larmor::test
