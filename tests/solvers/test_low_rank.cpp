#include "solvers/proximal_checks.hpp"

#include <larmor/operators/transforms/blocks.hpp>
#include <larmor/solvers/regularizers/low_rank.hpp>
#include <larmor/solvers/regularizers/proximal_maps.hpp>

#include <Eigen/Dense>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using Matrix = Eigen::Matrix<D, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <typename Case>
class LowRank : public OnDevice<Case> {};
TYPED_TEST_SUITE(LowRank, DeviceCases, CaseNames);

// The sum over blocks of all their singular values, or the largest one of all.
ProximalReference nuclear_reference(const ImageLayout& image, Index block) {
  const auto blocks = std::make_shared<const Blocks<double>>(image.shape, image.space, block);
  const auto ctx = std::make_shared<Context>(Device::cpu(), ContextOptions{.threads = 1});
  const Index rows = blocks->codomain()[1], columns = blocks->codomain()[2];
  const double factor = std::sqrt(static_cast<double>(rows)) + std::sqrt(static_cast<double>(columns));
  const auto singular_values = [=](View<const D> z, bool largest) {
    const auto matrices = blocks->apply(z.reshaped(image.shape), *ctx);
    double sum = 0;
    for (Index b = 0; b < blocks->codomain()[0]; ++b) {
      const Eigen::Map<const Matrix> matrix(matrices.data() + b * rows * columns, rows, columns);
      const auto values = Eigen::JacobiSVD<Matrix>(matrix).singularValues().eval();
      sum = largest ? std::max(sum, values.maxCoeff()) : sum + values.sum();
    }
    return sum;
  };
  return {[=](View<const D> z) { return factor * singular_values(z, false); },
          [=](View<const D> z) { return singular_values(z, true) / factor; }};
}

TYPED_TEST(LowRank, NuclearNormsOfBlocks) {
  using T = typename TypeParam::T;
  struct NuclearCase {
    ImageLayout image;
    Index block;
  };
  // Wide and tall matrices, blocks that extend beyond the edge, three axes, one block.
  const NuclearCase cases[] = {{{{3, 4, 6}, 2}, 2},    {{{5, 4, 4}, 2}, 2}, {{{2, 5, 6}, 2}, 4},
                               {{{2, 2, 3, 4}, 3}, 2}, {{{4, 3, 3}, 2}, 0}, {{{2, 2, 3, 4}, 2}, 3}};
  for (const auto& [image, block] : cases)
    check_proximal_map<T>(BlockNuclearNorm<T>(image, block, false), nuclear_reference(image, block),
                          image.shape, this->ctx(), sizeof(T) == 4 ? 1e-5 : 1e-7);
}

TYPED_TEST(LowRank, AllSingularValuesAreShrunk) {
  using T = typename TypeParam::T;
  // Long enough for several chunks of the Gram matrix, and too short for one.
  for (const Shape& shape : {Shape{3, 40, 41}, Shape{3, 2, 5}, Shape{1700, 2, 1}}) {
    const BlockNuclearNorm<T> norm({shape, 2}, 0, false);
    const auto z = this->random(shape, 1);
    auto out = this->random(shape, 2);
    const double factor =
        std::sqrt(static_cast<double>(shape[0])) + std::sqrt(static_cast<double>(shape[1] * shape[2]));
    norm.apply(0.9, z, out, this->ctx());
    const auto exact = converted<D>(fetched(z).view());
    const Eigen::Map<const Matrix> matrix(exact.data(), shape[0], shape[1] * shape[2]);
    const Eigen::JacobiSVD<Matrix> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
    EXPECT_NEAR(norm.value(z, this->ctx()), factor * svd.singularValues().sum(),
                1e-5 * factor * matrix.norm());
    const Eigen::VectorXd shrunk = (svd.singularValues().array() - 0.9 * factor).max(0.0);
    EXPECT_GT(shrunk.sum(), 0);
    const Matrix expected = svd.matrixU() * shrunk.asDiagonal() * svd.matrixV().adjoint();
    const auto found = converted<D>(fetched(out).view());
    double error = 0;
    for (Index i = 0; i < found.size(); ++i) error += std::norm(found[i] - expected.data()[i]);
    EXPECT_LT(std::sqrt(error), (sizeof(T) == 4 ? 1e-5 : 1e-9) * expected.norm()) << shape.to_string();
  }
}

TYPED_TEST(LowRank, ShiftsMoveTheGrid) {
  using T = typename TypeParam::T;
  const ImageLayout image{{3, 6, 7}, 2};
  const BlockNuclearNorm<T> moving(image, 3, true), fixed(image, 3, false);
  const auto z = this->random(image.shape, 1);
  for (Index iteration = 0; iteration < 3; ++iteration) {
    // 6 is a multiple of the block, 7 is not: along 7, any origin of the ring gives other blocks.
    const Index dy = drawn(iteration, 1, 3), dx = drawn(iteration, 2, 7);
    const auto from = [&](Index i) { return i - i % 42 + (i / 7 % 6 + dy) % 6 * 7 + (i % 7 + dx) % 7; };
    const auto in = fetched(z);
    Array<std::complex<T>> moved(image.shape), back(image.shape);
    for (Index i = 0; i < in.size(); ++i) moved[i] = in[from(i)];
    auto shrunk = this->there(std::move(moved));
    fixed.apply(0.2, shrunk, shrunk, this->ctx());
    const auto values = fetched(shrunk);
    for (Index i = 0; i < in.size(); ++i) back[from(i)] = values[i];
    auto out = this->random(image.shape, 2);
    moving.apply(0.2, z, out, this->ctx(), iteration);
    EXPECT_LT(relative_difference(out, back), sizeof(T) == 4 ? 1e-5 : 1e-12) << iteration;
  }
}

TYPED_TEST(LowRank, NoiseOfTheLevelLambdaIsRemoved) {
  using T = typename TypeParam::T;
  // For blocks of constant frames in noise of unit variance, a weight slightly above 1 leaves only the
  // constant part, for any size of the blocks.
  for (const Index block : {4, 8, 0}) {
    const ImageLayout image{{10, 16, 16}, 2};
    auto z = random_complex<T>(image.shape, 1);
    for (auto& value : z) value = value * T(std::sqrt(0.5)) + T(40);
    const auto noisy = this->there(std::move(z));
    auto out = this->random(image.shape, 2);
    BlockNuclearNorm<T>(image, block, false).apply(1.3, noisy, out, this->ctx());
    const auto found = fetched(out);
    double spread = 0;  // differences between frames, relative to the mean over the image
    D mean = 0;
    for (const auto& value : found) mean += D(value) / 2560.0;
    for (Index i = 0; i < 256; ++i)
      for (Index f = 1; f < 10; ++f) spread = std::max(spread, std::abs(D(found[f * 256 + i]) - mean));
    EXPECT_GT(mean.real(), 35) << block;
    EXPECT_LT(spread, block == 0 ? 2 : 1.5) << block;
  }
}

}  // namespace
}  // namespace larmor::test
