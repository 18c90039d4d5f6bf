#pragma once

#include <larmor/core/export.hpp>
#include <larmor/operators/transforms/blocks.hpp>
#include <larmor/solvers/problem/problem.hpp>
#include <larmor/solvers/regularizers/image_layout.hpp>
#include <larmor/solvers/regularizers/nuclear_kernels.hpp>

#include <optional>

namespace LARMOR_API larmor {

/// (√F + √P) Σ ‖M_b‖_* over blocks b of a series, M_b the F × P matrix of the block's F entries of the slower
/// axes and P pixels. The factor is the expected largest singular value of noise of unit variance, so that
/// the meaning of λ hardly depends on the size of the blocks, and is about that for an l1 norm. Singular
/// values come from Gram matrices in double: those below 1e-8 of a block's largest are lost. With shifts
/// every iteration draws another origin of the grid of blocks, as WaveletNorm does.
template <typename T>
class BlockNuclearNorm final : public ProximalMap<T> {
 public:
  using Scalar = std::complex<T>;
  /// Blocks of `block` pixels along each spatial axis; 0: one block, the whole image.
  BlockNuclearNorm(const ImageLayout& image, Index block, bool shifts);
  bool varies() const override { return shifts_; }
  /// The same with one grid of blocks.
  BlockNuclearNorm without_shifts() const;
  std::string name() const override { return "BlockNuclearNorm"; }
  double value(View<const Scalar> z, Context& ctx) const override { return value_on(grid_, z, ctx); }
  double value_in(Index iteration, View<const Scalar> z, Context& ctx) const override {
    return value_on(grid_in(iteration), z, ctx);
  }
  void apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx,
             Index iteration = 0) const override;
  std::size_t scratch_bytes(const Context& ctx) const override;

 private:
  // Storage for eigenvalues and eigenvectors of the blocks' Gram matrices.
  struct Spectrum {
    View<std::complex<double>> vectors;
    View<double> values;
  };
  double value_on(const BlockGrid& grid, View<const Scalar> z, Context& ctx) const;
  BlockGrid grid_in(Index iteration) const;
  void decompose(View<const Scalar> blocks, const Spectrum& spectrum, Context& ctx) const;

  Index size_;
  BlockGrid grid_;
  MatrixBatch batch_;
  Index chunk_, chunks_;
  bool shifts_;
  double factor_;
};

/// Weight and blocks of a locally low-rank term.
struct LocallyLowRankOptions {
  double lambda = 0;
  Index block = 8;  ///< pixels along each spatial axis; 0: the whole image as one Casorati matrix
  bool shifts = true;
};

/// Locally low rank (Trzasko, Manduca 2011). Throws Error (usage) for a single image.
template <typename T>
Regularizer<T> locally_low_rank(const ImageLayout& image, const LocallyLowRankOptions& options);

/// The term of locally_low_rank() with one grid of blocks. Nothing for other terms, and if it has one
/// already.
template <typename T>
std::optional<Regularizer<T>> without_shifts(const Regularizer<T>& term);

enum class SparseTransform { fourier, differences, none };

/// Weights of a low-rank part and a sparse one.
struct LowRankSparseOptions {
  double lambda = 0;
  double sparse = 1;  ///< weight of the sparse part relative to the low-rank one
  SparseTransform transform = SparseTransform::fourier;  ///< along axis 0, of the sparse part
};

/// Low rank + sparse (Otazo, Candès, Sodickson 2015): λ min_S (√F + √P) ‖x − S‖_* + sparse ‖T S‖₁, x − S as
/// the Casorati matrix of F frames and P pixels. S, a series as x, is the auxiliary unknown: the term is a
/// function of (x, S). Throws Error (usage) for a single image.
template <typename T>
Regularizer<T> low_rank_sparse(const ImageLayout& image, const LowRankSparseOptions& options,
                               const Device& device);

}  // namespace larmor
