#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/random_bits.hpp>
#include <larmor/operators/ranks.hpp>
#include <larmor/operators/reshaped.hpp>
#include <larmor/operators/stacks.hpp>
#include <larmor/solvers/problem/largest_eigenvalue.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace larmor {

double detail::largest_of_tridiagonal(const std::vector<double>& diagonal, const std::vector<double>& below) {
  const std::size_t n = diagonal.size();
  if (n == 0 || below.size() + 1 < n)
    throw internal_error("not a tridiagonal matrix: {} and {} values", n, below.size());
  // Gershgorin's bound, and the largest diagonal entry as the other end.
  double lower = diagonal[0], upper = diagonal[0];
  for (std::size_t i = 0; i < n; ++i) {
    lower = std::max(lower, diagonal[i]);
    upper = std::max(
        upper, diagonal[i] + (i > 0 ? std::abs(below[i - 1]) : 0.0) + (i + 1 < n ? std::abs(below[i]) : 0.0));
  }
  // All pivots of (matrix − x) are negative if x is above every eigenvalue.
  const auto above_all = [&](double x) {
    double pivot = diagonal[0] - x;
    for (std::size_t i = 1; i < n && pivot < 0; ++i)
      pivot = diagonal[i] - x - below[i - 1] * below[i - 1] / pivot;
    return pivot < 0;
  };
  for (int step = 0; step < 100 && upper - lower > std::numeric_limits<double>::epsilon() * upper; ++step) {
    const double middle = 0.5 * (lower + upper);
    (above_all(middle) ? upper : lower) = middle;
  }
  return 0.5 * (lower + upper);
}

namespace {

// In units of rounding. A smaller tolerance would be lost in rounding, which makes values grow without limit;
// and if the largest eigenvalues are clustered, as for stacks of stars, one more digit takes twice as many
// products.
constexpr double least_tolerance = 80;

// Real and imaginary parts between −1 and 1, the same for any number of threads.
template <typename T>
Array<std::complex<T>> random_vector(const Shape& shape, const Context& ctx) {
  Array<std::complex<T>> values(shape);
  constexpr std::uint64_t seed = std::uint64_t{20180229} << 32;
  const auto between = [](std::uint64_t bits) {
    return static_cast<T>(static_cast<double>(bits & 0xffffffffu) * 0x1p-31 - 1);
  };
  parallel_for(ctx.host(), values.size(), 1 << 14, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) {
      const std::uint64_t bits = random_bits(seed + static_cast<std::uint64_t>(i));
      values[i] = {between(bits), between(bits >> 32)};
    }
  });
  return values;
}

// The operator inside handles and reshapes.
template <typename T>
const LinearOperator<T>& bare(const LinearOperator<T>& op) {
  if (const auto* handle = dynamic_cast<const Operator<T>*>(&op)) return bare(handle->held());
  return dynamic_cast<const Reshaped<T>*>(&op) ? bare(*op.children().front()) : op;
}

// The blocks of a block-diagonal operator, empty for others. For a sum over ranks: the sums of all ranks'
// blocks.
template <typename T>
std::vector<OperatorPtr<T>> blocks_of(const LinearOperator<T>& normal) {
  const LinearOperator<T>& op = bare(normal);
  if (dynamic_cast<const BlockDiag<T>*>(&op)) return op.children();
  const auto* sum = dynamic_cast<const SumOverRanks<T>*>(&op);
  if (!sum) return {};
  std::vector<OperatorPtr<T>> blocks = blocks_of(*sum->children().front());
  for (auto& block : blocks) block = SumOverRanks<T>(*block, sum->ranks()).share();
  return blocks;
}

// Vectors of Lanczos' process, for any operator with this domain.
template <typename T>
struct LanczosVectors {
  LanczosVectors(const Shape& shape, Context& ctx)
      : v(moved_to(ctx.device(), random_vector<T>(shape, ctx))),
        next(shape, ctx.device()),
        before(shape, ctx.device()) {}
  Array<std::complex<T>> v, next, before;
};

// Lanczos' process from the vector v, which ends early if the result will not exceed `least`.
template <typename T>
double by_lanczos(const LinearOperator<T>& normal, LanczosVectors<T>& vectors, Context& ctx, int iterations,
                  double tolerance, double least = 0) {
  auto& [v, next, before] = vectors;
  fill<T>(before, 0, ctx);
  double norm = std::sqrt(squared_norm<T>(v, ctx));
  std::vector<double> diagonal, below;
  std::vector<double> values;
  for (int i = 0; i < iterations && norm > 0; ++i) {
    ctx.throw_if_cancelled();
    scale<T>(1 / norm, v, ctx);
    normal.apply(v, next, ctx);
    diagonal.push_back(dot<T>(v, next, ctx).real());
    values.push_back(detail::largest_of_tridiagonal(diagonal, below));
    const std::size_t n = values.size();
    // With eigenvalues clustered at the end, convergence has slow stretches: the last quarter is more
    // reliable than one step.
    const std::size_t earlier = std::max<std::size_t>(2, n / 4);
    constexpr double growth = 10;  // from here on, for the state in those steps
    if (n >= 6) {
      const double grown = values[n - 1] - values[n - 1 - earlier];
      if (grown <= tolerance * values[n - 1] || values[n - 1] + growth * grown <= least) break;
    }
    combine<T>({{1, next}, {-diagonal.back(), v}, {i > 0 ? -below.back() : 0.0, before}}, next, ctx);
    norm = std::sqrt(squared_norm<T>(next, ctx));
    // The vectors span the whole Krylov space: the remainder is rounding error.
    if (norm <= 10 * std::numeric_limits<T>::epsilon() * values.back()) break;
    below.push_back(norm);
    before.swap(v);
    v.swap(next);
  }
  return values.empty() ? 0 : values.back();
}

}  // namespace

template <typename T>
double largest_eigenvalue(const LinearOperator<T>& normal, Context& ctx, int iterations, double tolerance) {
  tolerance = std::max<double>(tolerance, least_tolerance * std::numeric_limits<T>::epsilon());
  const std::vector<OperatorPtr<T>> blocks = blocks_of(normal);
  Communicator* const ranks = ctx.vector_ranks();
  const bool apart =
      ranks ? ranks->all_reduce(blocks.empty() ? 1 : 0, Reduction::maximum) == 0 : !blocks.empty();
  if (!apart) {
    LanczosVectors<T> vectors(normal.domain(), ctx);
    return by_lanczos(normal, vectors, ctx, iterations, tolerance);
  }
  // The largest eigenvalues of many blocks are close together, those of each block are not.
  const PartialVectors whole(ctx, nullptr);
  double largest = 0;
  std::optional<LanczosVectors<T>> vectors;
  Array<std::complex<T>> start;
  for (const auto& block : blocks) {
    if (vectors && start.shape() == block->domain()) {
      copy<T>(start, vectors->v, ctx);
    } else {
      vectors.emplace(block->domain(), ctx);
      start = clone<const std::complex<T>>(vectors->v);
    }
    largest = std::max(largest, by_lanczos(*block, *vectors, ctx, iterations, tolerance, largest));
  }
  return ranks ? ranks->all_reduce(largest, Reduction::maximum) : largest;
}

template double largest_eigenvalue(const LinearOperator<float>&, Context&, int, double);
template double largest_eigenvalue(const LinearOperator<double>&, Context&, int, double);

}  // namespace larmor
