// Every operator of Larmor against the operator contract: one entry each.
#include "operators/operator_contract.hpp"
#include "random_arrays.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/toeplitz.hpp>
#include <larmor/operators/stacks.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using testing::IsEmpty;

template <typename T>
class Catalogue : public testing::Test {
 protected:
  using C = std::complex<T>;
  static constexpr double tolerance = sizeof(T) == 4 ? 1e-4 : 1e-9;
  Context ctx{Device::cpu(), {.threads = 2}};

  static Array<double> points(Index samples, Index dims) {
    return random_real({samples, dims}, -0.5, 0.5, 11);
  }
  // The reference in double for an operator that has an exact double counterpart.
  static auto exact(std::shared_ptr<const LinearOperator<double>> op) {
    auto one = std::make_shared<Context>(Device::cpu(), ContextOptions{.threads = 1});
    return [op, one](View<const D> x) { return op->apply(x, *one); };
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Catalogue, Precisions);

TYPED_TEST(Catalogue, Nudft) {
  // Hand-written sums, with nothing shared with the operator.
  const Shape image{3, 4};
  const auto k = this->points(5, 2);
  ContractOptions<TypeParam> options;
  options.reference = [&](View<const D> x) {
    Array<D> y({5});
    for (Index j = 0; j < 5; ++j) {
      y[j] = 0;
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column)
          y[j] +=
              x[row * 4 + column] / std::sqrt(12.0) *
              std::exp(D(0, -2 * std::numbers::pi * (k[2 * j] * (column - 2) + k[2 * j + 1] * (row - 1))));
    }
    return y;
  };
  EXPECT_THAT(contract_violations<TypeParam>(Nudft<TypeParam>(k, image), options), IsEmpty());
}

TYPED_TEST(Catalogue, NufftInEveryDimensionAndBatch) {
  const Shape shapes[] = {{21}, {9, 8}, {5, 3, 6}};
  for (const Shape& image : shapes)
    for (const Index batch : {0, 1, 3, 9}) {
      const auto k = this->points(40, image.rank());
      const auto d = random_real({40}, 0, 2, 3);
      ContractOptions<TypeParam> options;
      options.reference = this->exact(std::make_shared<const Nudft<double>>(k, image, batch, d));
      options.reference_tolerance = this->tolerance;
      options.normal_tolerance = this->tolerance;
      const Nufft<TypeParam> nufft(k, d, image, {.tolerance = this->tolerance, .batch = batch}, this->ctx);
      EXPECT_THAT(contract_violations<TypeParam>(nufft, options), IsEmpty())
          << image.to_string() << " " << batch;
    }
}

TYPED_TEST(Catalogue, ToeplitzInBothForms) {
  const Shape shapes[] = {{21}, {9, 8}, {5, 3, 6}, {1, 6}, {4, 1, 6}};
  for (const Shape& image : shapes)
    for (const ToeplitzForm form : {ToeplitzForm::padded, ToeplitzForm::low_memory})
      for (const Index batch : {0, 9}) {
        const auto k = this->points(40, image.rank());
        const auto d = random_real({40}, 0, 2, 3);
        ContractOptions<TypeParam> options;
        options.reference = this->exact(Nudft<double>(k, image, batch, d).normal(this->ctx));
        options.reference_tolerance = this->tolerance;
        const Toeplitz<TypeParam> toeplitz(k, d, image, batch, this->tolerance, true, form, this->ctx);
        EXPECT_THAT(contract_violations<TypeParam>(toeplitz, options), IsEmpty())
            << image.to_string() << " " << batch
            << (form == ToeplitzForm::padded ? " padded" : " low memory");
      }
}

TYPED_TEST(Catalogue, CoilMaps) {
  const auto maps = random_complex<TypeParam>({3, 4, 5}, 7);
  ContractOptions<TypeParam> options;
  options.reference = [&](View<const D> x) {
    Array<D> y({3, 4, 5});
    for (Index i = 0; i < y.size(); ++i) y[i] = D(maps[i]) * x[i % 20];
    return y;
  };
  EXPECT_THAT(contract_violations<TypeParam>(CoilMaps<TypeParam>(maps.view()), options), IsEmpty());
}

TYPED_TEST(Catalogue, SenseToeplitzEqualsThePlainComposition) {
  for (const Shape& image : {Shape{8, 6}, Shape{5, 4, 6}})
    for (const ToeplitzForm form : {ToeplitzForm::padded, ToeplitzForm::low_memory})
      for (const Index coils : {1, 3, 10}) {
        const auto k = this->points(60, image.rank());
        const CoilMaps<TypeParam> maps(random_complex<TypeParam>(image.prepend(coils), 8));
        const Toeplitz<TypeParam> toeplitz(k, {}, image, coils, this->tolerance, true, form, this->ctx);
        const auto plain =
            Composition<TypeParam>({adjoint_of<TypeParam>(maps), toeplitz.share(), maps.share()});
        const SenseToeplitz<TypeParam> fused(toeplitz, maps);
        const auto x = random_complex<TypeParam>(image, 9);
        EXPECT_LT(relative_difference(fused.apply(x, this->ctx), plain.apply(x, this->ctx)),
                  sizeof(TypeParam) == 4 ? 1e-6 : 1e-14);
        EXPECT_THAT(contract_violations<TypeParam>(fused), IsEmpty()) << image.to_string() << " " << coils;
      }
}

TYPED_TEST(Catalogue, Fft) {
  const Shape shape{2, 3, 4};
  ContractOptions<TypeParam> options;
  options.reference = [&](View<const D> x) {
    Array<D> y(shape);
    for (Index b = 0; b < 2; ++b)
      for (int ky = 0; ky < 3; ++ky)
        for (int kx = 0; kx < 4; ++kx) {
          D sum = 0;
          for (int iy = 0; iy < 3; ++iy)
            for (int ix = 0; ix < 4; ++ix)
              sum += x[b * 12 + iy * 4 + ix] *
                     std::exp(D(
                         0, -2 * std::numbers::pi * ((ky - 1) * (iy - 1) / 3.0 + (kx - 2) * (ix - 2) / 4.0)));
          y[b * 12 + ky * 4 + kx] = sum / std::sqrt(12.0);
        }
    return y;
  };
  EXPECT_THAT(contract_violations<TypeParam>(Fft<TypeParam>(shape, 2), options), IsEmpty());
  EXPECT_THAT(contract_violations<TypeParam>(Fft<TypeParam>({5, 7, 9}, 3)), IsEmpty());
  EXPECT_THAT(contract_violations<TypeParam>(Fft<TypeParam>({1, 16}, 1)), IsEmpty());
}

TYPED_TEST(Catalogue, Diagonal) {
  const auto w = random_complex<TypeParam>({3, 5}, 4);
  ContractOptions<TypeParam> options;
  options.reference = [&](View<const D> x) {
    Array<D> y({3, 5});
    for (Index i = 0; i < 15; ++i) y[i] = D(w[i]) * x[i];
    return y;
  };
  EXPECT_THAT(contract_violations<TypeParam>(Diagonal<TypeParam>(w.view()), options), IsEmpty());
  EXPECT_THAT(contract_violations<TypeParam>(Identity<TypeParam>({3, 5})), IsEmpty());
}

TYPED_TEST(Catalogue, PadAndCrop) {
  // Along an axis of 3 in 6 and of 4 in 5: the centres 1 -> 3 and 2 -> 2 meet.
  ContractOptions<TypeParam> options;
  options.reference = [](View<const D> x) {
    auto y = filled<D>({6, 5}, 0);
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 4; ++j) y[(i + 2) * 5 + j] = x[i * 4 + j];
    return y;
  };
  EXPECT_THAT(contract_violations<TypeParam>(Pad<TypeParam>({3, 4}, {6, 5}), options), IsEmpty());
  ContractOptions<TypeParam> crop;
  crop.reference = [](View<const D> x) {
    Array<D> y({3, 4});
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 4; ++j) y[i * 4 + j] = x[(i + 2) * 5 + j];
    return y;
  };
  EXPECT_THAT(contract_violations<TypeParam>(Crop<TypeParam>({6, 5}, {3, 4}), crop), IsEmpty());
}

TYPED_TEST(Catalogue, StacksAndCompositions) {
  using Op = OperatorPtr<TypeParam>;
  const Shape image{4, 6};
  const auto w = random_complex<TypeParam>(image, 4), v = random_complex<TypeParam>(image, 5);
  const Op diagonal = Diagonal<TypeParam>(w.view()).share(), other = Diagonal<TypeParam>(v.view()).share();
  const Op fft = Fft<TypeParam>(image, 2).share(), pad = Pad<TypeParam>(image, {6, 6}).share();
  ContractOptions<TypeParam> sum;
  sum.reference = [&](View<const D> x) {
    Array<D> y(image);
    for (Index i = 0; i < 24; ++i) y[i] = (D(w[i]) + D(v[i])) * x[i];
    return y;
  };
  EXPECT_THAT(contract_violations<TypeParam>(Sum<TypeParam>({diagonal, other}), sum), IsEmpty());
  ContractOptions<TypeParam> stack;
  stack.reference = [&](View<const D> x) {
    Array<D> y({48});
    for (Index i = 0; i < 24; ++i) y[i] = D(w[i]) * x[i], y[24 + i] = D(v[i]) * x[i];
    return y;
  };
  EXPECT_THAT(contract_violations<TypeParam>(VStack<TypeParam>({diagonal, other}), stack), IsEmpty());
  ContractOptions<TypeParam> blocks;
  blocks.reference = [&](View<const D> x) {
    Array<D> y({48});
    for (Index i = 0; i < 24; ++i) y[i] = D(w[i]) * x[i], y[24 + i] = D(v[i]) * x[24 + i];
    return y;
  };
  EXPECT_THAT(contract_violations<TypeParam>(BlockDiag<TypeParam>({diagonal, other}), blocks), IsEmpty());
  ContractOptions<TypeParam> batch;
  batch.reference = [&](View<const D> x) {
    Array<D> y({2, 4, 6});
    for (Index i = 0; i < 48; ++i) y[i] = D(w[i % 24]) * x[i];
    return y;
  };
  EXPECT_THAT(contract_violations<TypeParam>(Batched<TypeParam>(*diagonal, 2), batch), IsEmpty());
  EXPECT_THAT(contract_violations<TypeParam>(Composition<TypeParam>({pad, fft, diagonal})), IsEmpty());
  EXPECT_THAT(contract_violations<TypeParam>(VStack<TypeParam>({pad, fft, diagonal})), IsEmpty());
  EXPECT_THAT(contract_violations<TypeParam>(*adjoint_of(*pad)), IsEmpty());
}

TYPED_TEST(Catalogue, CoilModel) {
  const Shape image{10, 8};
  const auto k = this->points(200, 2);
  const auto maps = random_complex<TypeParam>(image.prepend(4), 8);
  ContractOptions<TypeParam> options;
  options.normal_tolerance = this->tolerance;
  const auto A = Nufft<TypeParam>(k, image, {.tolerance = this->tolerance, .batch = 4}, this->ctx) *
                 CoilMaps<TypeParam>(maps.view());
  EXPECT_THAT(contract_violations<TypeParam>(A, options), IsEmpty());
}

}  // namespace
}  // namespace larmor::test
