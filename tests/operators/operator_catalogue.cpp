// Every operator of Larmor against the operator contract: one entry each, on every device.
#include "device_cases.hpp"
#include "operators/operator_contract.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/nufft/nudft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>
#include <larmor/operators/stacks.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

namespace larmor::test {
namespace {

using D = std::complex<double>;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

template <typename Case>
class Catalogue : public OnDevice<Case> {
 protected:
  using Options = ContractOptions<typename Case::T>;
  static constexpr double tolerance = sizeof(typename Case::T) == 4 ? 1e-4 : 1e-9;

  static Array<double> points(Index samples, Index dims) {
    return random_real({samples, dims}, -0.5, 0.5, 11);
  }
  static Options options() {
    Options options;
    options.device = Case::device();
    return options;
  }
  // The reference in double on the CPU, for an operator with an exact counterpart there.
  static auto exact(std::shared_ptr<const LinearOperator<double>> op) {
    auto one = std::make_shared<Context>(Device::cpu(), ContextOptions{.threads = 1});
    return [op, one](View<const D> x) { return op->apply(x, *one); };
  }
  static Options compared_with(std::shared_ptr<const LinearOperator<double>> op) {
    Options options = Catalogue::options();
    options.reference = exact(std::move(op));
    return options;
  }
  static OperatorPtr<double> exact_normal(const LinearOperator<double>& op) {
    Context one(Device::cpu(), {.threads = 1});
    return op.normal(one);
  }
};
TYPED_TEST_SUITE(Catalogue, DeviceCases, CaseNames);

TYPED_TEST(Catalogue, Nudft) {
  using T = typename TypeParam::T;
  // Direct sums that share no code with the operator.
  const Shape image{3, 4};
  const auto k = this->points(5, 2);
  auto options = this->options();
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
  EXPECT_THAT(contract_violations<T>(Nudft<T>(this->there(clone(k)), image), options), IsEmpty());
}

TYPED_TEST(Catalogue, NudftWithCoilsAndDensity) {
  using T = typename TypeParam::T;
  for (const Shape& image : {Shape{7}, Shape{4, 3, 6}}) {
    const auto k = this->points(11, image.rank());
    const auto d = random_real({11}, 0, 2, 3);
    // Row by row of the dense matrix: coils side by side, each sample multiplied by the square root of its
    // density.
    const auto single = this->exact(std::make_shared<const Nudft<double>>(k, image));
    auto options = this->options();
    options.reference = [&](View<const D> x) {
      Array<D> y({3, 11});
      for (Index coil = 0; coil < 3; ++coil) {
        const auto samples = single(x.slice(coil));
        for (Index j = 0; j < 11; ++j) y[coil * 11 + j] = std::sqrt(d[j]) * samples[j];
      }
      return y;
    };
    const Nudft<T> nudft(this->there(clone(k)), image, 3, this->there(clone(d)));
    EXPECT_THAT(contract_violations<T>(nudft, options), IsEmpty()) << image.to_string();
  }
}

TYPED_TEST(Catalogue, NufftInEveryDimensionAndBatch) {
  using T = typename TypeParam::T;
  const Shape shapes[] = {{21}, {9, 8}, {5, 3, 6}};
  for (const Shape& image : shapes)
    for (const Index batch : {0, 1, 3, 9}) {
      if (under_sanitizers && batch % 9 != 0) continue;
      const auto k = this->points(40, image.rank());
      const auto d = random_real({40}, 0, 2, 3);
      auto options = this->compared_with(std::make_shared<const Nudft<double>>(k, image, batch, d));
      options.reference_tolerance = this->tolerance;
      options.normal_tolerance = this->tolerance;
      const Nufft<T> nufft(this->there(clone(k)), this->there(clone(d)), image,
                           {.tolerance = this->tolerance, .batch = batch}, this->ctx());
      EXPECT_THAT(contract_violations<T>(nufft, options), IsEmpty()) << image.to_string() << " " << batch;
    }
}

TYPED_TEST(Catalogue, NufftOfADeterministicContext) {
  using T = typename TypeParam::T;
  Context ctx = this->context({.deterministic = true});
  for (const Shape& image : {Shape{21}, Shape{9, 8}, Shape{5, 3, 6}}) {
    const auto k = this->points(under_sanitizers ? 60 : 300, image.rank());
    auto options = this->compared_with(std::make_shared<const Nudft<double>>(k, image, 2));
    options.reference_tolerance = this->tolerance;
    options.normal_tolerance = this->tolerance;
    // The trajectory is on the CPU: the operator copies it to its device.
    const Nufft<T> nufft(k, image, {.tolerance = this->tolerance, .batch = 2}, ctx);
    EXPECT_THAT(contract_violations<T>(nufft, options), IsEmpty()) << image.to_string();
  }
}

TYPED_TEST(Catalogue, Toeplitz) {
  using T = typename TypeParam::T;
  const Shape shapes[] = {{21}, {9, 8}, {5, 3, 6}, {1, 6}, {4, 1, 6}};
  for (const Shape& image : shapes)
    for (const Index batch : {0, 9}) {
      if (under_sanitizers && batch == 0) continue;
      const auto k = this->points(40, image.rank());
      const auto d = random_real({40}, 0, 2, 3);
      auto options = this->compared_with(this->exact_normal(Nudft<double>(k, image, batch, d)));
      options.reference_tolerance = this->tolerance;
      const larmor::Toeplitz<T> toeplitz(this->there(clone(k)), this->there(clone(d)), image, batch,
                                         this->tolerance, true, this->ctx());
      EXPECT_THAT(contract_violations<T>(toeplitz, options), IsEmpty()) << image.to_string() << " " << batch;
    }
}

TYPED_TEST(Catalogue, CoilMaps) {
  using T = typename TypeParam::T;
  const auto maps = random_complex<T>({3, 4, 5}, 7);
  auto options = this->options();
  options.reference = [&](View<const D> x) {
    Array<D> y({3, 4, 5});
    for (Index i = 0; i < y.size(); ++i) y[i] = D(maps[i]) * x[i % 20];
    return y;
  };
  EXPECT_THAT(contract_violations<T>(CoilMaps<T>(this->there(clone(maps))), options), IsEmpty());
}

TYPED_TEST(Catalogue, HStackOfCoilMaps) {
  using T = typename TypeParam::T;
  const auto maps = random_complex<T>({2, 3, 4, 5}, 7);
  auto options = this->options();
  options.reference = [&](View<const D> x) {
    auto y = filled({3, 4, 5}, D(0));
    for (Index i = 0; i < maps.size(); ++i) y[i % 60] += D(maps[i]) * x[i / 60 * 20 + i % 20];
    return y;
  };
  std::vector<Operator<T>> sets;
  for (Index set = 0; set < 2; ++set) sets.push_back(CoilMaps<T>(this->there(clone(maps.view().slice(set)))));
  EXPECT_THAT(contract_violations<T>(HStack<T>(sets), options), IsEmpty());
}

TYPED_TEST(Catalogue, SenseToeplitzEqualsThePlainComposition) {
  using T = typename TypeParam::T;
  for (const Shape& image : {Shape{8, 6}, Shape{5, 4, 6}})
    for (const Index coils : {1, 3, 10}) {
      if (under_sanitizers && coils < 10) continue;
      const auto k = this->points(60, image.rank());
      const CoilMaps<T> maps(this->random(image.prepend(coils), 8));
      const Toeplitz<T> toeplitz(this->there(clone(k)), {}, image, coils, this->tolerance, true, this->ctx());
      const auto plain = Composition<T>({adjoint(maps), toeplitz.share(), maps.share()});
      const SenseToeplitz<T> fused(toeplitz, maps);
      const auto x = this->random(image, 9);
      EXPECT_LT(relative_difference(fused.apply(x, this->ctx()), plain.apply(x, this->ctx())),
                sizeof(T) == 4 ? 1e-6 : 1e-14);
      const CoilMaps<T> on_host(copied_to(this->device(), maps.maps(), Placement::host));
      EXPECT_TRUE(
          same_bits(SenseToeplitz<T>(toeplitz, on_host).apply(x, this->ctx()), fused.apply(x, this->ctx())));
      const auto model = Nudft<double>(k, image, coils) *
                         CoilMaps<double>(converted<D>(random_complex<T>(image.prepend(coils), 8).view()));
      auto options = this->compared_with(this->exact_normal(model));
      options.reference_tolerance = this->tolerance;
      EXPECT_THAT(contract_violations<T>(fused, options), IsEmpty()) << image.to_string() << " " << coils;
    }
}

TYPED_TEST(Catalogue, Fft) {
  using T = typename TypeParam::T;
  const Shape shape{2, 3, 4};
  auto options = this->options();
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
  EXPECT_THAT(contract_violations<T>(Fft<T>(shape, 2), options), IsEmpty());
  const auto compare = [&](const Shape& larger, int rank) {
    const auto exact = this->compared_with(Fft<double>(larger, rank).share());
    EXPECT_THAT(contract_violations<T>(Fft<T>(larger, rank), exact), IsEmpty()) << larger.to_string();
  };
  compare({5, 7, 9}, 3);
  compare({1, 16}, 1);
}

TYPED_TEST(Catalogue, Diagonal) {
  using T = typename TypeParam::T;
  const auto w = random_complex<T>({3, 5}, 4);
  auto options = this->options();
  options.reference = [&](View<const D> x) {
    Array<D> y({3, 5});
    for (Index i = 0; i < 15; ++i) y[i] = D(w[i]) * x[i];
    return y;
  };
  EXPECT_THAT(contract_violations<T>(Diagonal<T>(this->there(clone(w))), options), IsEmpty());
  auto same = this->options();
  same.reference = [](View<const D> x) { return clone(x); };
  EXPECT_THAT(contract_violations<T>(Identity<T>({3, 5}), same), IsEmpty());
}

TYPED_TEST(Catalogue, RealPart) {
  using T = typename TypeParam::T;
  auto options = this->options();
  options.real_linear = true;
  options.reference = [](View<const D> x) {
    Array<D> y({3, 5});
    for (Index i = 0; i < 15; ++i) y[i] = x[i].real();
    return y;
  };
  EXPECT_THAT(contract_violations<T>(RealPart<T>({3, 5}), options), IsEmpty());
  EXPECT_THAT(contract_violations<T>(Identity<T>({3, 5}), options), Contains(HasSubstr("dense matrix")));
  options.real_linear = false;
  EXPECT_THAT(contract_violations<T>(RealPart<T>({3, 5}), options), Contains(HasSubstr("complex linearity")));
}

// Parts of a phase-constrained model; its normal operator keeps the Toeplitz form. With the conjugate phase,
// or without the real part, it is another model.
TYPED_TEST(Catalogue, ProductsWithRealPart) {
  using T = typename TypeParam::T;
  const Shape image{9, 8};
  const auto k = this->points(40, 2);
  const auto p = random_complex<T>(image, 4);
  auto options = this->options();
  options.real_linear = true;
  options.reference_tolerance = options.normal_tolerance = this->tolerance;
  options.reference =
      [&, exact = this->exact(std::make_shared<const Nudft<double>>(k, image, 2))](View<const D> x) {
        Array<D> image_of(x.shape());
        for (Index i = 0; i < x.size(); ++i) image_of[i] = D(p[i]) * x[i].real();
        Array<D> both({2, 9, 8});
        for (Index i = 0; i < both.size(); ++i) both[i] = image_of[i % image_of.size()];
        return exact(both);
      };
  const Nufft<T> nufft(this->there(clone(k)), image, {.tolerance = this->tolerance, .batch = 2}, this->ctx());
  const CoilMaps<T> maps(this->there(filled<std::complex<T>>({2, 9, 8}, 1)));
  const Diagonal<T> phase(this->there(clone(p)));
  const auto model = nufft * maps * phase * RealPart<T>(image);
  EXPECT_THAT(contract_violations<T>(model, options), IsEmpty());
  auto conjugate = clone(p);
  for (auto& factor : conjugate) factor = std::conj(factor);
  const Diagonal<T> other_phase(this->there(std::move(conjugate)));
  EXPECT_THAT(contract_violations<T>(nufft * maps * other_phase * RealPart<T>(image), options),
              Contains(HasSubstr("dense matrix")));
  EXPECT_THAT(contract_violations<T>(nufft * maps * phase, options), Contains(HasSubstr("dense matrix")));
  const std::string tree = describe<T>(model.normal(this->ctx()));
  EXPECT_THAT(tree, HasSubstr("Toeplitz"));
  EXPECT_THAT(tree, testing::Not(HasSubstr("Nufft")));
}

TYPED_TEST(Catalogue, Pad) {
  using T = typename TypeParam::T;
  // Along axes of 3 in 6 and of 4 in 5, centres 1 -> 3 and 2 -> 2 coincide.
  auto options = this->options();
  options.reference = [](View<const D> x) {
    auto y = filled<D>({6, 5}, 0);
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 4; ++j) y[(i + 2) * 5 + j] = x[i * 4 + j];
    return y;
  };
  EXPECT_THAT(contract_violations<T>(Pad<T>({3, 4}, {6, 5}), options), IsEmpty());
}

TYPED_TEST(Catalogue, StacksAndCompositions) {
  using T = typename TypeParam::T;
  using Op = OperatorPtr<T>;
  const Shape image{4, 6};
  const auto w = random_complex<T>(image, 4), v = random_complex<T>(image, 5);
  const Op diagonal = Diagonal<T>(this->there(clone(w))).share();
  const Op other = Diagonal<T>(this->there(clone(v))).share();
  const Op fft = Fft<T>(image, 2).share(), pad = Pad<T>(image, {6, 6}).share();
  auto sum = this->options();
  sum.reference = [&](View<const D> x) {
    Array<D> y(image);
    for (Index i = 0; i < 24; ++i) y[i] = (D(w[i]) + D(v[i])) * x[i];
    return y;
  };
  EXPECT_THAT(contract_violations<T>(Sum<T>({diagonal, other}), sum), IsEmpty());
  auto stack = this->options();
  stack.reference = [&](View<const D> x) {
    Array<D> y({48});
    for (Index i = 0; i < 24; ++i) y[i] = D(w[i]) * x[i], y[24 + i] = D(v[i]) * x[i];
    return y;
  };
  for (const Placement placement : {Placement::device, Placement::host})
    EXPECT_THAT(contract_violations<T>(VStack<T>({diagonal, other}, placement), stack), IsEmpty());
  auto blocks = this->options();
  blocks.reference = [&](View<const D> x) {
    Array<D> y({48});
    for (Index i = 0; i < 24; ++i) y[i] = D(w[i]) * x[i], y[24 + i] = D(v[i]) * x[24 + i];
    return y;
  };
  EXPECT_THAT(contract_violations<T>(BlockDiag<T>({diagonal, other}), blocks), IsEmpty());
  auto batch = this->options();
  batch.reference = [&](View<const D> x) {
    Array<D> y({2, 4, 6});
    for (Index i = 0; i < 48; ++i) y[i] = D(w[i % 24]) * x[i];
    return y;
  };
  EXPECT_THAT(contract_violations<T>(Batched<T>(*diagonal, 2), batch), IsEmpty());

  // The same products of the same factors in double on the CPU.
  const auto w_exact = Diagonal<double>(converted<D>(w.view())).share();
  const auto fft_exact = Fft<double>(image, 2).share(), pad_exact = Pad<double>(image, {6, 6}).share();
  EXPECT_THAT(contract_violations<T>(
                  Composition<T>({pad, fft, diagonal}),
                  this->compared_with(Composition<double>({pad_exact, fft_exact, w_exact}).share())),
              IsEmpty());
  EXPECT_THAT(
      contract_violations<T>(VStack<T>({pad, fft, diagonal}),
                             this->compared_with(VStack<double>({pad_exact, fft_exact, w_exact}).share())),
      IsEmpty());
  EXPECT_THAT(contract_violations<T>(adjoint(*pad), this->compared_with(adjoint(*pad_exact))), IsEmpty());
}

TYPED_TEST(Catalogue, ExpressionsOfOperators) {
  using T = typename TypeParam::T;
  const Shape image{4, 6};
  const auto w = random_complex<T>(image, 4);
  const std::complex<double> a(0.5, -2);
  // The same expressions of the same factors, in double on the CPU for comparison.
  const auto expressions = [&]<typename S>(const Diagonal<S>& w_of) {
    const Pad<S> pad(image, {6, 6});
    const Fft<S> fft(image, 2);
    return std::vector<Operator<S>>{a * w_of,
                                    2.0 * (a * (pad * w_of)),
                                    pad + pad * fft * w_of - a * pad,
                                    adjoint(pad * fft + a * pad),
                                    (a * pad) * w_of,
                                    fft};
  };
  const auto found = expressions(Diagonal<T>(this->there(clone(w))));
  const auto exact = expressions(Diagonal<double>(converted<D>(w.view())));
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_THAT(contract_violations<T>(found[i], this->compared_with(exact[i])), IsEmpty()) << i;
}

TYPED_TEST(Catalogue, CoilModel) {
  using T = typename TypeParam::T;
  const Shape image{10, 8};
  const auto k = this->points(200, 2);
  const auto maps = random_complex<T>(image.prepend(4), 8);
  const auto exact = Nudft<double>(k, image, 4) * CoilMaps<double>(converted<D>(maps.view()));
  auto options = this->compared_with(exact.share());
  options.reference_tolerance = this->tolerance;
  options.normal_tolerance = this->tolerance;
  const auto A = Nufft<T>(k, image, {.tolerance = this->tolerance, .batch = 4}, this->ctx()) *
                 CoilMaps<T>(this->there(clone(maps)));
  EXPECT_THAT(contract_violations<T>(A, options), IsEmpty());
}

TYPED_TEST(Catalogue, CoilModelInBlocksOfCoils) {
  using T = typename TypeParam::T;
  const Shape image{10, 8};
  const auto k = this->points(200, 2);
  const auto maps = random_complex<T>(image.prepend(5), 8);
  const CoilMaps<T> S(this->there(clone(maps)));
  const Nufft<T> F(k, image, {.tolerance = this->tolerance, .batch = 3}, this->ctx());
  const VStack<T> A({(F * S.coils(0, 3)).share(), (F.with_batch(2) * S.coils(3, 2)).share()},
                    Placement::host);
  const auto exact = Nudft<double>(k, image, 5) * CoilMaps<double>(converted<D>(maps.view()));
  auto options = this->options();
  options.reference = [&, apply = this->exact(exact.share())](View<const D> x) {
    auto y = apply(x);
    return copied_to(Device::cpu(), y.view().reshaped({y.size()}));
  };
  options.reference_tolerance = this->tolerance;
  options.normal_tolerance = this->tolerance;
  EXPECT_THAT(contract_violations<T>(A, options), IsEmpty());

  const auto y = this->random(A.codomain(), 3);
  const auto on_host = copied_to(this->device(), y.view(), Placement::host);
  EXPECT_TRUE(same_bits(A.adjoint(on_host, this->ctx()), A.adjoint(y, this->ctx())));
  EXPECT_THROW(S.coils(3, 3), Error);
}

}  // namespace
}  // namespace larmor::test
