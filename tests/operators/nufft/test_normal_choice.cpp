// When a normal operator becomes a convolution; each form needs the announced bytes.
#include "random_arrays.hpp"

#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/basis_nufft.hpp>
#include <larmor/operators/nufft/toeplitz/normal_choice.hpp>
#include <larmor/operators/stacks.hpp>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using Mode = NormalOptions::Toeplitz;

std::optional<ToeplitzForm> choose(const NormalOptions& options) {
  return nufft::choose_toeplitz_form(
      options, {ToeplitzForm::padded, ToeplitzForm::low_memory},
      [](ToeplitzForm form) -> std::size_t { return form == ToeplitzForm::padded ? 100 : 40; });
}

TEST(NormalChoice, TakesTheFirstFormThatFits) {
  EXPECT_EQ(choose({}), ToeplitzForm::padded);
  EXPECT_EQ(choose({.byte_limit = 100}), ToeplitzForm::padded);
  EXPECT_EQ(choose({.byte_limit = 99}), ToeplitzForm::low_memory);
  EXPECT_EQ(choose({.byte_limit = 40}), ToeplitzForm::low_memory);
  EXPECT_EQ(choose({.byte_limit = 39}), std::nullopt);
}

TEST(NormalChoice, WeighsTheSetUpUnlessToldOtherwise) {
  EXPECT_EQ(choose({.expected_applies = 3}), std::nullopt);
  EXPECT_EQ(choose({.expected_applies = 4}), ToeplitzForm::padded);
  EXPECT_EQ(choose({.toeplitz = Mode::on, .expected_applies = 1}), ToeplitzForm::padded);
  EXPECT_EQ(choose({.toeplitz = Mode::off}), std::nullopt);
  EXPECT_EQ(choose({.toeplitz = Mode::on, .byte_limit = 1}), ToeplitzForm::low_memory);
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
    // The maps need the same memory in any form.
    const std::size_t maps = holds(*normal({}), "SenseToeplitz") ? S.table_bytes() : 0;
    const std::size_t padded = bytes(*normal({})) - maps;
    const auto small = normal({.byte_limit = padded - 1});
    const std::size_t least = bytes(*small) - maps;
    EXPECT_TRUE(holds(*small, "Toeplitz"));
    EXPECT_LT(least, padded);
    EXPECT_EQ(bytes(*normal({.byte_limit = padded})) - maps, padded);
    EXPECT_TRUE(holds(*normal({.byte_limit = least}), "Toeplitz"));
    EXPECT_TRUE(holds(*normal({.byte_limit = least - 1}), "Nufft"));
    EXPECT_EQ(bytes(*normal({.toeplitz = Mode::on, .byte_limit = 1})) - maps, least);
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
