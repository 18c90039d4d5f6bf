// When a normal operator becomes a convolution, and the bytes that it needs.
#include "random_arrays.hpp"

#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/basis_nufft.hpp>
#include <larmor/operators/nufft/toeplitz/normal_choice.hpp>
#include <larmor/operators/stacks.hpp>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using Mode = NormalOptions::Toeplitz;

TEST(NormalChoice, WeighsBytesAndSetUpUnlessToldOtherwise) {
  const auto takes = [](const NormalOptions& options) { return nufft::takes_toeplitz(options, 100); };
  EXPECT_TRUE(takes({}));
  EXPECT_TRUE(takes({.byte_limit = 100}));
  EXPECT_FALSE(takes({.byte_limit = 99}));
  EXPECT_FALSE(takes({.expected_applies = 3}));
  EXPECT_TRUE(takes({.expected_applies = 4}));
  EXPECT_TRUE(takes({.toeplitz = Mode::on, .expected_applies = 1}));
  EXPECT_TRUE(takes({.toeplitz = Mode::on, .byte_limit = 1}));
  EXPECT_FALSE(takes({.toeplitz = Mode::off}));
}

class NormalForms : public testing::Test {
 protected:
  using Normal = std::function<OperatorPtr<float>(const NormalOptions&)>;

  std::size_t bytes(const LinearOperator<float>& op) const {
    return op.scratch_bytes(ctx) + op.table_bytes();
  }
  static bool holds(const LinearOperator<float>& op, const std::string& name) {
    bool found = false;
    walk(op, [&](const LinearOperator<float>& node, int) { found = found || node.name() == name; });
    return found;
  }

  Context ctx{Device::cpu(), {.threads = 2}};
  const Shape image{20, 22, 24};
  const Index coils = 4;
  const Array<double> k = random_real({200, 3}, -0.5, 0.5, 1);
  const Nufft<float> F{k, image, {.batch = coils}, ctx};
  const CoilMaps<float> S{random_complex<float>(image.prepend(coils), 2)};
};

TEST_F(NormalForms, ANufftAndItsFusedFormKeepToTheirBytes) {
  const auto A = F * S;
  const std::vector<Normal> normals{[&](const NormalOptions& options) { return F.normal(options, ctx); },
                                    [&](const NormalOptions& options) { return A.normal(options, ctx); }};
  for (const Normal& normal : normals) {
    // The maps are there in any case.
    const std::size_t maps = holds(*normal({}), "SenseToeplitz") ? S.table_bytes() : 0;
    const std::size_t needed = bytes(*normal({})) - maps;
    EXPECT_TRUE(holds(*normal({.byte_limit = needed}), "Toeplitz"));
    EXPECT_TRUE(holds(*normal({.byte_limit = needed - 1}), "Nufft"));
    EXPECT_EQ(bytes(*normal({.toeplitz = Mode::on, .byte_limit = 1})) - maps, needed);
  }
}

TEST_F(NormalForms, ABasisAndItsFusedFormKeepToTheirBytes) {
  Array<std::complex<double>> basis({200, 2});
  for (Index j = 0; j < 200; ++j) {
    basis[2 * j] = 1;
    basis[2 * j + 1] = 0.01 * static_cast<double>(j);
  }
  const BasisNufft<float> B(k, {}, basis, image, {.batch = coils}, ctx);
  const auto A = B * Batched<float>(S, 2);
  const std::vector<Normal> normals{[&](const NormalOptions& options) { return B.normal(options, ctx); },
                                    [&](const NormalOptions& options) { return A.normal(options, ctx); }};
  const std::size_t needed = bytes(B.normal({}, ctx));
  for (const Normal& normal : normals) {
    EXPECT_TRUE(holds(*normal({.byte_limit = needed}), "Toeplitz"));
    EXPECT_TRUE(holds(*normal({.byte_limit = needed - 1}), "BasisNufft"));
    EXPECT_TRUE(holds(*normal({.expected_applies = 3}), "BasisNufft"));
    EXPECT_TRUE(holds(*normal({.toeplitz = Mode::on, .byte_limit = 1}), "Toeplitz"));
  }
}

}  // namespace
}  // namespace larmor::test
