#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/algebra.hpp>

namespace LARMOR_API larmor {

/// A dense matrix m along the slowest axis: [columns, rest] -> [rows, rest], y[a] = Σ_b m[a][b] x[b].
template <typename T>
class AxisMatrix final : public TwoWayOperator<AxisMatrix<T>, T> {
 public:
  using Scalar = std::complex<T>;
  /// matrix [rows, columns] on the CPU; it is copied to `device`. `rest`: the other axes.
  AxisMatrix(View<const std::complex<double>> matrix, const Shape& rest, const Device& device);
  std::string name() const override { return "AxisMatrix"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }
  std::size_t table_bytes() const override { return matrix_->view().bytes(); }

 protected:
  void run(Direction way, View<const Scalar> in, View<Scalar> out, Context& ctx, Write write) const override;

 private:
  std::shared_ptr<const Array<Scalar>> matrix_;
};

/// The unitary discrete Fourier transform of n entries as a matrix [n, n], frequency 0 first.
Array<std::complex<double>> fourier_matrix(Index n);

/// (x, s) -> (x − s, T s) on flat vectors: the transform of low rank + sparse models for an image x and its
/// sparse part s. [2N] -> [N + size of T's codomain].
template <typename T>
class Remainder final : public OperatorOfParts<Remainder<T>, T, OperatorBase<Remainder<T>, T>> {
 public:
  using Scalar = std::complex<T>;
  /// Shares the transform T.
  explicit Remainder(const LinearOperator<T>& transform);
  std::string name() const override { return "Remainder"; }

 protected:
  void do_apply(View<const Scalar> x, View<Scalar> y, Context& ctx, Write write) const override;
  void do_adjoint(View<const Scalar> y, View<Scalar> x, Context& ctx, Write write) const override;
};

}  // namespace larmor
