// Products, stacks and their normal operators.
#include "error_of.hpp"
#include "random_arrays.hpp"

#include <larmor/operators/basic.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/stacks.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace larmor::test {
namespace {

using testing::HasSubstr;
using Names = std::set<std::string>;

Names names_in(const LinearOperator<float>& op) {
  Names names;
  walk(op, [&](const LinearOperator<float>& node, int) { names.insert(node.name()); });
  return names;
}

class Algebra : public testing::Test {
 protected:
  Context ctx{Device::cpu(), {.threads = 2}};
  const Shape image{12, 10};
  const Index coils = 3;
  const Array<double> k = random_real({150, 2}, -0.5, 0.5, 1);
  const Nufft<float> F{k, image, {.tolerance = 1e-3, .batch = coils}, ctx};
  const CoilMaps<float> S{random_complex<float>(image.prepend(coils), 2)};
};

TEST_F(Algebra, NormalOfTheCoilModelIsToeplitzAndNoNufft) {
  const auto names = names_in((F * S).normal(ctx));
  EXPECT_TRUE(names.contains("Toeplitz"));
  EXPECT_TRUE(names.contains("SenseToeplitz"));
  EXPECT_FALSE(names.contains("Nufft"));
}

TEST_F(Algebra, NormalGoesThroughFactorsInsideOfTheCoilModel) {
  const Diagonal<float> D(random_complex<float>(image, 3));
  const auto normal = (F * S * D).normal(ctx);
  const auto names = names_in(normal);
  EXPECT_TRUE(names.contains("SenseToeplitz"));
  EXPECT_FALSE(names.contains("Nufft"));
  const auto x = random_complex<float>(image, 4);
  const auto A = F * S * D;
  EXPECT_LT(relative_difference(normal.apply(x, ctx), A.adjoint(A.apply(x, ctx), ctx)), 1e-3);
}

TEST_F(Algebra, NormalOfNufftWithoutCoilsAndOfStacksIsToeplitz) {
  const Nufft<float> single(k, image, {.tolerance = 1e-3}, ctx);
  EXPECT_EQ(names_in(single.normal(ctx)), Names{"Toeplitz"});
  EXPECT_EQ(names_in(Batched<float>(single, 4).normal(ctx)), (Names{"Batched", "Toeplitz"}));
  EXPECT_EQ(names_in(VStack<float>({single.share(), single.share()}).normal(ctx)),
            (Names{"Sum", "Toeplitz"}));
  EXPECT_EQ(names_in(BlockDiag<float>({single.share()}).normal(ctx)), (Names{"BlockDiag", "Toeplitz"}));
}

TEST_F(Algebra, ToeplitzOffFewAppliesOrTooFewBytesKeepTheNufft) {
  const auto A = F * S;
  EXPECT_TRUE(names_in(A.normal({.toeplitz = NormalOptions::Toeplitz::off}, ctx)).contains("Nufft"));
  EXPECT_TRUE(names_in(A.normal({.expected_applies = 1}, ctx)).contains("Nufft"));
  EXPECT_TRUE(names_in(A.normal({.byte_limit = 1000}, ctx)).contains("Nufft"));
}

TEST_F(Algebra, ProductsAreFlattenedAndMisfitsNamed) {
  const auto A = F * S * Identity<float>(image);
  EXPECT_EQ(A.children().size(), 3u);
}

TEST_F(Algebra, AdjointOfAdjointIsTheOperator) {
  EXPECT_EQ(adjoint(adjoint(S)).name(), "CoilMaps");
  const auto y = random_complex<float>({coils, 150}, 5);
  EXPECT_EQ(relative_difference(adjoint(F).apply(y, ctx), F.adjoint(y, ctx)), 0);
}

TEST_F(Algebra, MultiplesKeepTheToeplitzForm) {
  const std::complex<double> a(3, -1);
  for (const Operator<float>& A : {Operator<float>((a * F) * S), Operator<float>(a * (F * S))}) {
    const auto normal = A.normal(ctx);
    const auto names = names_in(normal);
    EXPECT_TRUE(names.contains("SenseToeplitz"));
    EXPECT_FALSE(names.contains("Nufft"));
    const auto x = random_complex<float>(image, 4);
    EXPECT_LT(relative_difference(normal.apply(x, ctx), A.adjoint(A.apply(x, ctx), ctx)), 1e-3);
  }
}

TEST_F(Algebra, AnOperatorThatIsKeptOutlivesWhatItWasMadeOf) {
  const auto x = random_complex<float>(image, 4);
  Operator<float> normal;
  EXPECT_FALSE(normal);
  EXPECT_THROW(normal.apply(x, ctx), Error);
  {
    const Nufft<float> transform(k, image, {.tolerance = 1e-3, .batch = coils}, ctx);
    const CoilMaps<float> maps(random_complex<float>(image.prepend(coils), 2));
    normal = (transform * maps).normal(ctx) + 0.5 * Identity<float>(image);
  }
  EXPECT_TRUE(normal);
  EXPECT_EQ(normal.name(), "Sum");
  auto expected = (F * S).normal(ctx).apply(x, ctx);
  axpy<float>(0.5, x, expected, ctx);
  EXPECT_LT(relative_difference(normal.apply(x, ctx), expected), 1e-6);
  // Trees own the operators, independent of the objects that shared them.
  const Operator<float> held(S);
  EXPECT_EQ((F * held).children()[1], held.share());
}

TEST_F(Algebra, PartsThatDoNotFitAreRefusedWithBothShapes) {
  EXPECT_EQ(error_of([&] { F + S; }), "2: Sum: Nufft takes [3, 12, 10], but CoilMaps takes [12, 10]");
  EXPECT_EQ(error_of([&] { F - Identity<float>(F.domain()); }),
            "2: Sum: Nufft gives [3, 150], but Scaled gives [3, 12, 10]");
  EXPECT_EQ(error_of([&] { F* S* F; }), "2: Composition: CoilMaps takes [12, 10], but Nufft gives [3, 150]");
  EXPECT_EQ(error_of([&] {
              VStack<float>({F, S});
            }),
            "2: VStack: Nufft takes [3, 12, 10], but CoilMaps takes [12, 10]");
  EXPECT_EQ(error_of([&] { VStack<float>({F, {}}); }), "2: VStack: operator 2 of 2 is empty");
  EXPECT_EQ(error_of([&] {
              (2.0 * S).apply(random_complex<float>({10, 12}, 1), ctx);
            }),
            "2: Scaled: apply input has shape [10, 12], expected [12, 10]");
}

TEST_F(Algebra, DescribePrintsTheTree) {
  const std::string text = describe(F * S);
  EXPECT_THAT(text, HasSubstr("Composition [3, 150] <- [12, 10]\n  Nufft [3, 150] <- [3, 12, 10]\n"));
}

// (i Re)ᴴ is Re after −i, which Scaled cannot express.
TEST_F(Algebra, ComplexMultiplesOfRealPartAreRefused) {
  const RealPart<float> real({3, 4});
  const auto refusal = [&](const Operator<float>& inner) {
    return error_of([&] { std::complex<double>(0, 1) * inner; });
  };
  const std::string words =
      "2: Scaled: RealPart is linear over the real numbers only, but the factor is complex; multiply by a "
      "Diagonal";
  EXPECT_EQ(refusal(real), words);
  EXPECT_EQ(refusal(Identity<float>({3, 4}) * real), words);
  EXPECT_EQ(error_of([&] { -2.0 * real; }), "");
}

}  // namespace
}  // namespace larmor::test
