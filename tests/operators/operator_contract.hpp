#pragma once

#include <larmor/operators/linear_operator.hpp>

#include <functional>
#include <string>
#include <vector>

namespace larmor::test {

/// Options of the operator contract.
template <typename T>
struct ContractOptions {
  Device device = Device::cpu();  ///< device of the operator and of the test
  /// Direct evaluation of A x in double, independent of the operator; empty: not compared.
  std::function<Array<std::complex<double>>(View<const std::complex<double>>)> reference;
  double reference_tolerance = 0;  ///< 0: rounding
  double normal_tolerance = 0;     ///< of normal() against AᴴA; 0: rounding
  /// Linear over real scalars only; the adjoint refers to Re⟨x, y⟩.
  bool real_linear = false;
};

/// Runs every check of the contract; returns a line for each one that fails: adjoint, complex (or real)
/// linearity, normal = AᴴA, dense matrix against the reference (every column), overwrite of NaN-filled
/// output, accumulate, the same bits for one and three threads (on a GPU: in two deterministic runs), no
/// allocation after the first apply, wrong shapes, a wrong device and overlapping memory named in the error,
/// and no memory lost by it.
template <typename T>
std::vector<std::string> contract_violations(const LinearOperator<T>& A,
                                             const ContractOptions<T>& options = {});

/// Calls of operator new so far in this process.
std::size_t operator_new_calls();

}  // namespace larmor::test
