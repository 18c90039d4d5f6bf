#include <larmor/core/format_error.hpp>
#include <larmor/core/math/hermitian_batch.hpp>
#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/transforms/axis_matrix.hpp>
#include <larmor/operators/transforms/gradient.hpp>
#include <larmor/solvers/regularizers/low_rank.hpp>
#include <larmor/solvers/regularizers/proximal_maps.hpp>

#include <cmath>

namespace LARMOR_API larmor {
namespace {

// Gram matrices are summed over chunks of the long side: minimum number of terms of a chunk, maximum number
// of chunks.
constexpr Index least_chunk = 512, most_chunks = 256;

void require_frames(const char* name, const ImageLayout& image) {
  if (image.frames() < 2)
    throw usage_error("regularizer {}: an image of shape {} has no frames; it needs a series of two or more",
                      name, image.shape.to_string());
}

}  // namespace

template <typename T>
BlockNuclearNorm<T>::BlockNuclearNorm(const ImageLayout& image, Index block, bool shifts)
    : size_(image.shape.size()),
      grid_(block_grid(image.shape, image.space, block)),
      batch_{grid_.blocks(), grid_.batch, grid_.pixels()},
      shifts_(shifts),
      factor_(std::sqrt(static_cast<double>(batch_.rows)) + std::sqrt(static_cast<double>(batch_.columns))) {
  chunk_ = std::max(least_chunk, (batch_.length() + most_chunks - 1) / most_chunks);
  chunks_ = (batch_.length() + chunk_ - 1) / chunk_;
}

template <typename T>
BlockNuclearNorm<T> BlockNuclearNorm<T>::without_shifts() const {
  BlockNuclearNorm same = *this;
  same.shifts_ = false;
  return same;
}

template <typename T>
void BlockNuclearNorm<T>::decompose(View<const Scalar> blocks, const Spectrum& spectrum, Context& ctx) const {
  const Index count = batch_.count, rank = batch_.rank();
  Scratch scratch(ctx);
  auto gram = scratch.take<std::complex<double>>({count, rank, rank});
  auto parts = chunks_ > 1 ? scratch.take<std::complex<double>>({count, chunks_, rank, rank}) : gram;
  for_each_in_rows(
      ctx, count * chunks_ * rank, rank,
      GramParts<T>{batch_, chunk_, chunks_, complex_values(blocks.data()), complex_values(parts.data())});
  if (chunks_ > 1)
    for_each(
        ctx, count * rank * rank,
        SumChunks{chunks_, rank * rank, complex_values<double>(parts.data()), complex_values(gram.data())});
  hermitian_eigen_batch(gram, spectrum.vectors, spectrum.values, ctx);
}

template <typename T>
BlockGrid BlockNuclearNorm<T>::grid_in(Index iteration) const {
  BlockGrid grid = grid_;
  for (int axis = 0; axis < 3; ++axis)
    if (shifts_ && grid.count[axis] > 1)
      grid.shift[axis] = drawn(
          iteration, axis, grid.extent[axis] % grid.size[axis] == 0 ? grid.size[axis] : grid.extent[axis]);
  return grid;
}

template <typename T>
double BlockNuclearNorm<T>::value_on(const BlockGrid& grid, View<const Scalar> z, Context& ctx) const {
  require_size(name(), size_, z.size());
  ctx.arena().reserve(scratch_bytes(ctx));
  const Index count = batch_.count, rank = batch_.rank();
  Scratch scratch(ctx);
  auto blocks = scratch.take<Scalar>({grid.values()});
  const Spectrum spectrum{scratch.take<std::complex<double>>({count, rank, rank}),
                          scratch.take<double>({count, rank})};
  gather_blocks<T>(grid, z.data(), blocks.data(), ctx);
  decompose(blocks, spectrum, ctx);
  auto roots = scratch.take<std::complex<double>>({count * rank});
  for_each(ctx, count * rank, RootsOfSingularValues{spectrum.values.data(), complex_values(roots.data())});
  return factor_ * squared_norm<double>(roots, ctx);
}

template <typename T>
void BlockNuclearNorm<T>::apply(double weight, View<const Scalar> z, View<Scalar> out, Context& ctx,
                                Index iteration) const {
  require_size(name(), size_, z.size());
  require_size(name(), size_, out.size());
  ctx.arena().reserve(scratch_bytes(ctx));
  const Index count = batch_.count, rank = batch_.rank();
  const BlockGrid grid = grid_in(iteration);
  Scratch scratch(ctx);
  auto blocks = scratch.take<Scalar>({grid.values()}), shrunk = scratch.take<Scalar>({grid.values()});
  auto square = scratch.take<Scalar>({count, rank, rank});
  const Spectrum spectrum{scratch.take<std::complex<double>>({count, rank, rank}),
                          scratch.take<double>({count, rank})};
  gather_blocks<T>(grid, z.data(), blocks.data(), ctx);
  decompose(blocks, spectrum, ctx);
  for_each_in_rows(
      ctx, count * rank, rank,
      ShrinkingMatrices<T>{rank, weight * factor_, spectrum.values.data(),
                           complex_values<double>(spectrum.vectors.data()), complex_values(square.data())});
  for_each_in_rows(ctx, count * batch_.rows, batch_.columns,
                   MultiplyMatrices<T>{batch_, complex_values<T>(square.data()),
                                       complex_values<T>(blocks.data()), complex_values(shrunk.data())});
  scatter_blocks<T>(grid, shrunk.data(), out.data(), ctx);
}

template <typename T>
std::size_t BlockNuclearNorm<T>::scratch_bytes(const Context&) const {
  const Index count = batch_.count, rank = batch_.rank();
  const auto matrices = [&](Index chunks) {
    return Scratch::bytes<std::complex<double>>({count, chunks, rank, rank});
  };
  return 2 * Scratch::bytes<Scalar>({grid_.values()}) + Scratch::bytes<Scalar>({count, rank, rank}) +
         2 * matrices(1) + (chunks_ > 1 ? matrices(chunks_) : 0) + Scratch::bytes<double>({count, rank}) +
         Scratch::bytes<std::complex<double>>({count * rank});
}

template <typename T>
Regularizer<T> locally_low_rank(const ImageLayout& image, const LocallyLowRankOptions& options) {
  require_frames("llr", image);
  return {.name = "llr",
          .lambda = options.lambda,
          .function = std::make_shared<const BlockNuclearNorm<T>>(image, options.block, options.shifts)};
}

template <typename T>
std::optional<Regularizer<T>> without_shifts(const Regularizer<T>& term) {
  const auto* norm = dynamic_cast<const BlockNuclearNorm<T>*>(term.function.get());
  if (!norm || !norm->varies()) return {};
  Regularizer<T> still = term;
  still.function = std::make_shared<const BlockNuclearNorm<T>>(norm->without_shifts());
  return still;
}

template <typename T>
Regularizer<T> low_rank_sparse(const ImageLayout& image, const LowRankSparseOptions& options,
                               const Device& device) {
  require_frames("l+s", image);
  Operator<T> transform = Identity<T>(image.shape);
  double norm_squared = 1;
  if (options.transform == SparseTransform::fourier) {
    transform = AxisMatrix<T>(fourier_matrix(image.frames()), image.shape.drop_front(1), device);
  } else if (options.transform == SparseTransform::differences) {
    const Gradient<T> gradient(image.shape, {0});
    norm_squared = gradient.norm_squared();
    transform = gradient;
  }
  const Index size = image.shape.size(), coefficients = transform.codomain().size();
  return {.name = "l+s",
          .lambda = options.lambda,
          .transform = Remainder<T>(transform),
          .function = std::make_shared<const SeparableSum<T>>(std::vector<typename SeparableSum<T>::Part>{
              {size, 1, std::make_shared<const BlockNuclearNorm<T>>(image, 0, false)},
              {coefficients, options.sparse, std::make_shared<const GroupNorm<T>>(coefficients)}}),
          // The larger eigenvalue of [[1, −1], [−1, 1 + ‖T‖²]].
          .transform_norm_squared = 1 + norm_squared / 2 + std::sqrt(1 + norm_squared * norm_squared / 4),
          .auxiliary = size};
}

#define LARMOR_INSTANTIATE(T)                                                                 \
  template class BlockNuclearNorm<T>;                                                         \
  template Regularizer<T> locally_low_rank(const ImageLayout&, const LocallyLowRankOptions&); \
  template std::optional<Regularizer<T>> without_shifts(const Regularizer<T>&);               \
  template Regularizer<T> low_rank_sparse(const ImageLayout&, const LowRankSparseOptions&, const Device&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
