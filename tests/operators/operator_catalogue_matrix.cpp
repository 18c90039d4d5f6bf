// The NUFFT with precomputed interpolation under the operator contract, and its use of memory and directions.
#include "device_cases.hpp"
#include "operators/operator_contract.hpp"

#include <larmor/operators/nufft/matrix/gridding_matrix.hpp>
#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

template <typename Case>
class MatrixNufft : public OnDevice<Case> {
 protected:
  static constexpr double tolerance = sizeof(typename Case::T) == 4 ? 1e-4 : 1e-9;

  static NufftOptions matrix_options(Index batch) {
    return {.tolerance = tolerance, .batch = batch, .method = NufftMethod::matrix};
  }
};
TYPED_TEST_SUITE(MatrixNufft, DeviceCases, CaseNames);

TYPED_TEST(MatrixNufft, KeepsTheContractInEveryDimensionAndBatch) {
  using T = typename TypeParam::T;
  struct Size {
    Shape image;
    Index batch;
  };
  // 120 cells along the slowest axis make several slabs.
  for (const auto& [image, batch] : {Size{{21}, 0}, Size{{21}, 3}, Size{{7, 6}, 9}, Size{{80, 2}, 1},
                                     Size{{5, 3, 6}, 0}, Size{{5, 3, 6}, 4}}) {
    const auto k = random_real({60, image.rank()}, -0.7, 0.7, 11);
    const auto d = random_real({60}, 0, 2, 3);
    const auto exact = std::make_shared<const Nudft<double>>(k, image, batch, d);
    const Nufft<T> nufft(this->there(clone(k)), this->there(clone(d)), image, this->matrix_options(batch),
                         this->ctx());
    ContractOptions<T> options;
    options.device = this->device();
    options.reference_tolerance = options.normal_tolerance = this->tolerance;
    const auto one = std::make_shared<Context>(Device::cpu(), ContextOptions{.threads = 1});
    options.reference = [exact, one](View<const D> x) { return exact->apply(x, *one); };
    EXPECT_THAT(contract_violations<T>(nufft, options), IsEmpty()) << image.to_string() << " " << batch;
    EXPECT_LT(nufft.measured_error(this->ctx()), this->tolerance);
    EXPECT_EQ(nufft.normal(this->ctx()).name(), "Toeplitz");
    EXPECT_EQ(nufft.scratch_bytes(this->ctx()),
              Nufft<T>::scratch_bytes(image, 60, this->matrix_options(batch), this->ctx()));
  }
}

TYPED_TEST(MatrixNufft, EqualsGriddingToRounding) {
  using T = typename TypeParam::T;
  const Shape image{40, 36};
  const auto k = this->there(random_real({3000, 2}, -0.5, 0.5, 5));
  const auto x = this->random(image.prepend(3), 1);
  auto options = this->matrix_options(3);
  options.oversampling = 1.5;
  const auto by_matrix = Nufft<T>(k, image, options, this->ctx()).apply(x, this->ctx());
  options.method = NufftMethod::gridding;
  const auto by_gridding = Nufft<T>(k, image, options, this->ctx()).apply(x, this->ctx());
  EXPECT_LT(relative_difference(by_matrix, by_gridding), sizeof(T) == 4 ? 2e-6 : 2e-14);
}

TYPED_TEST(MatrixNufft, KeepsTheTablesOfTheDirectionsAskedFor) {
  using T = typename TypeParam::T;
  const Shape image{30, 20};
  const auto k = this->there(random_real({500, 2}, -0.5, 0.5, 5));
  auto options = this->matrix_options(2);
  const Nufft<T> both(k, image, options, this->ctx());
  EXPECT_EQ(both.method(), NufftMethod::matrix);
  const auto x = this->random(both.domain(), 1), y = this->random(both.codomain(), 2);
  options.adjoint = false;
  const Nufft<T> forward(k, image, options, this->ctx());
  EXPECT_LT(forward.table_bytes(), both.table_bytes() * 2 / 3);
  EXPECT_TRUE(same_bits(forward.apply(x, this->ctx()), both.apply(x, this->ctx())));
  EXPECT_THAT([&] { forward.adjoint(y, this->ctx()); },
              ThrowsMessage<Error>(HasSubstr("made for the forward transform only")));
  options.adjoint = true;
  options.forward = false;
  const Nufft<T> adjoint(k, image, options, this->ctx());
  EXPECT_LT(adjoint.table_bytes(), both.table_bytes() * 2 / 3);
  EXPECT_TRUE(same_bits(adjoint.adjoint(y, this->ctx()), both.adjoint(y, this->ctx())));
  EXPECT_THAT([&] { adjoint.apply(x, this->ctx()); },
              ThrowsMessage<Error>(HasSubstr("made for the adjoint only")));
}

TYPED_TEST(MatrixNufft, RefusesAMatrixBeyondItsLimit) {
  using T = typename TypeParam::T;
  auto options = this->matrix_options(0);
  options.matrix_byte_limit = 1000;
  const auto k = this->there(random_real({500, 2}, -0.5, 0.5, 5));
  EXPECT_THAT(
      [&] {
        Nufft<T>(k, {30, 20}, options, this->ctx());
      },
      ThrowsMessage<Error>(HasSubstr("1 kB are allowed")));
}

TEST(GriddingMatrices, HaveRowsThatAddUpAndATransposeThatMatches) {
  const auto kernel =
      nufft::choose_grid<double>(
          Shape{30, 30}, nufft::PlanOptions{.tolerance = 1e-6},
          {[](Index n) { return n; }, [](const auto& g, int) { return static_cast<double>(g[0]); }})
          .kernel;
  const auto points = random_real({200, 2}, -2, 2, 1);
  const auto matrix = nufft::make_gridding_matrix<double>(points, {64, 70, 1}, *kernel);
  const auto transpose = nufft::transposed(matrix);
  // yᵀ (W x) against (Wᵀ y)ᵀ x
  const auto x = random_real({matrix.cells}, -1, 1, 2), y = random_real({200}, -1, 1, 3);
  double forward = 0, adjoint = 0;
  for (Index i = 0; i < 200; ++i)
    for (Index e = i * matrix.length; e < (i + 1) * matrix.length; ++e)
      forward += y[i] * matrix.weights[e] * x[matrix.columns[e]];
  for (Index c = 0; c < matrix.cells; ++c)
    for (Index e = transpose.start[c]; e < transpose.start[c + 1]; ++e)
      adjoint += x[c] * transpose.weights[e] * y[transpose.columns[e]];
  EXPECT_NEAR(forward, adjoint, 1e-12);
  auto wrong = clone(points);
  wrong[7] = NAN;
  EXPECT_THAT(
      [&] {
        nufft::make_gridding_matrix<double>(wrong, {64, 70, 1}, *kernel);
      },
      ThrowsMessage<Error>(HasSubstr("not finite at sample 3")));
}

}  // namespace
}  // namespace larmor::test
