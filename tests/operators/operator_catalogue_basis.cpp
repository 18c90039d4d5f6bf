// Operators of coefficient images under the operator contract: BasisNufft, its matrix Toeplitz normal
// operator, and the model of coils, field map and subspace together.
#include "device_cases.hpp"
#include "error_of.hpp"
#include "operators/operator_contract.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/nufft/basis_nufft.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>
#include <larmor/operators/reshaped.hpp>
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
using testing::Not;

enum class BasisKind { real, rotated, complex };

template <typename Case>
class BasisCatalogue : public OnDevice<Case> {
 protected:
  static constexpr double tolerance = sizeof(typename Case::T) == 4 ? 1e-4 : 1e-9;

  static Array<D> basis(const Shape& shape, BasisKind kind) {
    auto b = random_complex<double>(shape, 21);
    if (kind == BasisKind::complex) return b;
    const Index terms = shape.drop_front(1).size();
    for (Index i = 0; i < b.size(); ++i) {
      // With one phase for all entries of a sample, their products stay real.
      const double angle = kind == BasisKind::rotated ? static_cast<double>(i / terms) : 0;
      b[i] = b[i].real() * std::polar(1.0, angle);
    }
    return b;
  }

  // The sums of BasisNufft evaluated directly: images [terms][coils][pixels], samples [coils][samples].
  static Array<D> exact_sums(View<const D> x, View<const double> k, View<const D> b, View<const double> d,
                             const Shape& image, Index coils, const Shape& codomain) {
    const Index samples = k.shape()[0], dims = image.rank(), terms = b.size() / samples,
                pixels = image.size();
    Array<D> y(codomain);
    for (Index c = 0; c < coils; ++c)
      for (Index j = 0; j < samples; ++j) {
        D sum = 0;
        for (Index p = 0; p < pixels; ++p) {
          double cycles = 0;
          Index rest = p;
          for (Index a = 0; a < dims; ++a) {
            const Index extent = image[static_cast<int>(dims - 1 - a)];
            cycles += k[j * dims + a] * static_cast<double>(rest % extent - extent / 2);
            rest /= extent;
          }
          D mixed = 0;
          for (Index l = 0; l < terms; ++l) mixed += b[j * terms + l] * x[(l * coils + c) * pixels + p];
          sum += mixed * std::polar(1.0, -2 * std::numbers::pi * cycles);
        }
        y[c * samples + j] = sum * std::sqrt((d.size() > 0 ? d[j] : 1.0) / static_cast<double>(pixels));
      }
    return y;
  }

  Context* host() { return &host_; }

  static ContractOptions<typename Case::T> options() {
    ContractOptions<typename Case::T> options;
    options.device = Case::device();
    options.reference_tolerance = options.normal_tolerance = tolerance;
    return options;
  }

 private:
  Context host_{Device::cpu(), {.threads = 1}};
};
TYPED_TEST_SUITE(BasisCatalogue, DeviceCases, CaseNames);

TYPED_TEST(BasisCatalogue, BasisNufft) {
  using T = typename TypeParam::T;
  struct Size {
    Shape image;
    Index coils;
    Shape basis;
  };
  for (const auto& [image, coils, shape] :
       {Size{{9}, 0, {24, 1}}, Size{{5, 4}, 0, {24, 3}}, Size{{3, 4}, 3, {24, 2, 2}},
        Size{{2, 3, 2}, 2, {24, 4}}, Size{{4, 3}, 2, {24, 5, 2}}})
    for (const auto kind : {BasisKind::real, BasisKind::rotated, BasisKind::complex}) {
      if (kind != BasisKind::complex && (shape.rank() > 2 || under_sanitizers)) continue;
      const auto k = random_real({24, image.rank()}, -0.5, 0.5, 1);
      const auto d = random_real({24}, 0, 2, 2);
      const auto b = this->basis(shape, kind);
      const BasisNufft<T> op(this->there(clone(k)), d, b, image,
                             {.tolerance = this->tolerance, .batch = coils}, this->ctx());
      auto options = this->options();
      options.reference = [&](View<const D> x) {
        return this->exact_sums(x, k, b, d, image, std::max<Index>(1, coils), op.codomain());
      };
      EXPECT_THAT(contract_violations<T>(op, options), IsEmpty()) << image.to_string();

      const auto normal = op.normal(this->ctx());
      ASSERT_EQ(normal.name(), "Toeplitz");
      const auto& toeplitz = dynamic_cast<const Toeplitz<T>&>(normal.held());
      EXPECT_EQ(toeplitz.real(), kind != BasisKind::complex || op.coefficients() == 1);
      EXPECT_EQ(toeplitz.table_bytes(),
                Toeplitz<T>::table_bytes(image, this->ctx(), op.coefficients(), !toeplitz.real()));
      EXPECT_EQ(toeplitz.scratch_bytes(this->ctx()),
                Toeplitz<T>::scratch_bytes(image, coils, this->ctx(), op.coefficients()));
    }
}

TYPED_TEST(BasisCatalogue, Toeplitz) {
  using T = typename TypeParam::T;
  for (const Shape& image : {Shape{7}, Shape{2, 3, 4}, Shape{3, 1, 2}}) {
    const auto k = random_real({40, image.rank()}, -0.5, 0.5, 1);
    const auto b = this->basis({40, 3}, BasisKind::complex);
    const BasisNufft<double> exact(k, {}, b, image, {.tolerance = 1e-12, .batch = 2}, *this->host());
    auto options = this->options();
    options.reference = [&](View<const D> x) {
      return exact.adjoint(exact.apply(x, *this->host()), *this->host());
    };
    const BasisNufft<T> op(k, {}, b, image, {.tolerance = this->tolerance, .batch = 2}, this->ctx());
    EXPECT_THAT(contract_violations<T>(op.normal(this->ctx()), options), IsEmpty()) << image.to_string();
  }
}

// Coils + field map (interpolators) + subspace: one tree, with the matrix Toeplitz form and no Nufft.
TYPED_TEST(BasisCatalogue, ModelOfCoilsFieldMapAndSubspace) {
  using T = typename TypeParam::T;
  const Shape image{5, 4};
  const Index coils = 3, coefficients = 2, segments = 3, samples = 40;
  const auto k = random_real({samples, 2}, -0.5, 0.5, 1);
  const auto b = this->basis({samples, coefficients, segments}, BasisKind::rotated);
  const auto maps = random_complex<T>(image.prepend(coils), 3);
  const auto interpolators = random_complex<T>(image.prepend(segments), 4);
  const CoilMaps<T> coil_maps(this->there(clone(maps)));
  const auto A = BasisNufft<T>(this->there(clone(k)), {}, b, image,
                               {.tolerance = this->tolerance, .batch = coils}, this->ctx()) *
                 Batched<T>(Batched<T>(coil_maps, segments), coefficients) *
                 Batched<T>(CoilMaps<T>(this->there(clone(interpolators))), coefficients);
  EXPECT_EQ(A.domain(), image.prepend(coefficients));
  EXPECT_EQ(A.codomain(), (Shape{coils, samples}));

  const auto exact = [&](View<const D> x) {
    Array<D> coil_images({coefficients, segments, coils, image.size()});
    for (Index i = 0; i < coil_images.size(); ++i) {
      const Index p = i % image.size(), c = i / image.size() % coils, s = i / image.size() / coils % segments;
      const Index q = i / image.size() / coils / segments;
      coil_images[i] =
          D(maps[c * image.size() + p]) * D(interpolators[s * image.size() + p]) * x[q * image.size() + p];
    }
    return this->exact_sums(coil_images, k, b, {}, image, coils, {coils, samples});
  };
  auto options = this->options();
  options.reference = exact;
  EXPECT_THAT(contract_violations<T>(A, options), IsEmpty());

  const auto normal = A.normal(this->ctx());
  const std::string tree = describe(normal);
  EXPECT_THAT(tree, HasSubstr("SenseToeplitz"));
  EXPECT_THAT(tree, Not(HasSubstr("Nufft")));
  // Aᴴ A from the dense matrix of the exact sums.
  const Index columns = A.domain().size();
  std::vector<Array<D>> dense;
  for (Index i = 0; i < columns; ++i) {
    auto unit = filled<D>(A.domain(), 0);
    unit[i] = 1;
    dense.push_back(exact(unit));
  }
  auto of_normal = this->options();
  of_normal.reference = [&](View<const D> x) {
    auto y = filled<D>(A.codomain(), 0);
    for (Index i = 0; i < columns; ++i)
      for (Index j = 0; j < y.size(); ++j) y[j] += dense[static_cast<std::size_t>(i)][j] * x[i];
    auto z = filled<D>(A.domain(), 0);
    for (Index i = 0; i < columns; ++i)
      for (Index j = 0; j < y.size(); ++j) z[i] += std::conj(dense[static_cast<std::size_t>(i)][j]) * y[j];
    return z;
  };
  EXPECT_THAT(contract_violations<T>(normal, of_normal), IsEmpty());
}

// Slices that are excited together, each with its own coil maps and factors. With the conjugate factors it is
// another model.
TYPED_TEST(BasisCatalogue, ModelOfBands) {
  using T = typename TypeParam::T;
  const Shape image{5, 4};
  const Index coils = 3, bands = 2, samples = 40, pixels = image.size();
  const auto k = random_real({samples, 2}, -0.5, 0.5, 1);
  const auto b = this->basis({samples, bands}, BasisKind::complex);
  const auto maps = random_complex<T>(image.prepend(coils).prepend(bands), 3);
  const auto with_factors = [&](const Array<D>& factors) {
    std::vector<Operator<T>> of_bands;
    for (Index band = 0; band < bands; ++band)
      of_bands.push_back(CoilMaps<T>(this->there(clone(maps.view().slice(band)))));
    const BlockDiag<T> all(std::move(of_bands));
    return BasisNufft<T>(this->there(clone(k)), {}, factors, image,
                         {.tolerance = this->tolerance, .batch = coils}, this->ctx()) *
           Reshaped<T>(all, image.prepend(bands), image.prepend(coils).prepend(bands));
  };
  auto options = this->options();
  options.reference = [&](View<const D> x) {
    Array<D> coil_images({bands, coils, pixels});
    for (Index i = 0; i < coil_images.size(); ++i)
      coil_images[i] = D(maps[i]) * x[i / pixels / coils * pixels + i % pixels];
    return this->exact_sums(coil_images, k, b, {}, image, coils, {coils, samples});
  };
  EXPECT_THAT(contract_violations<T>(with_factors(b), options), IsEmpty());
  auto conjugate = clone(b.view());
  for (D& factor : conjugate) factor = std::conj(factor);
  EXPECT_THAT(contract_violations<T>(with_factors(conjugate), options), Contains(HasSubstr("dense matrix")));
}

TYPED_TEST(BasisCatalogue, MemoryIsKnownBeforehand) {
  using T = typename TypeParam::T;
  const Shape image{12, 10};
  const auto k = random_real({500, 2}, -0.5, 0.5, 1);
  for (const Index coils : {0, 3}) {
    const NufftOptions options{.batch = coils};
    const BasisNufft<T> op(k, {}, this->basis({500, 3, 2}, BasisKind::real), image, options, this->ctx());
    // On a GPU, scratch and task tables, which depend on the positions of points, outweigh those of so few
    // points.
    if (this->device().on_gpu()) continue;
    EXPECT_EQ(op.scratch_bytes(this->ctx()),
              BasisNufft<T>::scratch_bytes(image, 500, 6, options, this->ctx()));
    const auto planned = static_cast<double>(BasisNufft<T>::table_bytes(image, 500, 6, options, this->ctx()));
    EXPECT_NEAR(planned / static_cast<double>(op.table_bytes()), 1, 0.3);
  }
}

TYPED_TEST(BasisCatalogue, Reshaped) {
  using T = typename TypeParam::T;
  const auto w = random_complex<T>({12}, 4);
  const Diagonal<T> diagonal(this->there(clone(w)));
  const Reshaped<T> op(diagonal, {3, 2, 2}, {4, 3});
  ContractOptions<T> options;
  options.device = this->device();
  options.reference = [&](View<const D> x) {
    Array<D> y({4, 3});
    for (Index i = 0; i < 12; ++i) y[i] = D(w[i]) * x[i];
    return y;
  };
  EXPECT_THAT(contract_violations<T>(op, options), IsEmpty());
  EXPECT_EQ(op.normal(this->ctx()).domain(), (Shape{3, 2, 2}));
  EXPECT_THROW(Reshaped<T>(diagonal, {3, 2}, {12}), Error);
}

TYPED_TEST(BasisCatalogue, NormalKeepsToItsOptions) {
  using T = typename TypeParam::T;
  using Mode = NormalOptions::Toeplitz;
  const auto k = random_real({20, 2}, -0.5, 0.5, 1);
  const BasisNufft<T> op(k, {}, this->basis({20, 2}, BasisKind::real), {4, 4}, {.batch = 2}, this->ctx());
  EXPECT_EQ(op.normal({.toeplitz = Mode::off}, this->ctx()).name(), "Composition");
  EXPECT_EQ(op.normal({.expected_applies = 1}, this->ctx()).name(), "Composition");
  EXPECT_EQ(op.normal({.byte_limit = 1}, this->ctx()).name(), "Composition");
  EXPECT_EQ(op.normal({.toeplitz = Mode::on, .byte_limit = 1}, this->ctx()).name(), "Toeplitz");
  EXPECT_EQ(op.normal_through(Identity<T>(op.domain()), {}, this->ctx()), nullptr);
}

TYPED_TEST(BasisCatalogue, WrongBasesAreRefused) {
  using T = typename TypeParam::T;
  const auto k = random_real({20, 2}, -0.5, 0.5, 1);
  const auto message = [&](const Array<D>& b) {
    return error_of([&] { BasisNufft<T>(k, {}, b, {4, 4}, {}, this->ctx()); });
  };
  EXPECT_THAT(message(filled<D>({19, 2}, 1)), HasSubstr("[19, 2] for 20 samples"));
  EXPECT_THAT(message(filled<D>({20, 65}, 1)), HasSubstr("65 coefficients"));
  EXPECT_THAT(message(filled<D>({20, 2}, std::nan(""))), HasSubstr("not finite"));
}

}  // namespace
}  // namespace larmor::test
