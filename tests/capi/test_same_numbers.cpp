// The C and C++ interfaces give the same bits.
#include "device_cases.hpp"

#include <larmor/capi/larmor.h>
#include <larmor/larmor.hpp>

#include <gtest/gtest.h>

namespace larmor::test {
namespace {

template <typename T>
void expect_same_bits(larmor_precision precision, const Device& device) {
  using C = std::complex<T>;
  const Shape shape{12, 10};
  const auto k = random_real({400, 2}, -0.5, 0.5, 1);
  const auto m = moved_to(device, random_complex<T>(shape.prepend(3), 2));
  const auto x = moved_to(device, random_complex<T>(shape, 3));
  Context ctx(device, {.threads = 2, .deterministic = true});
  const auto A = Nufft<T>(k, shape, {.tolerance = 1e-4, .batch = 3}, ctx) * CoilMaps<T>(m.view());
  const auto y = A.apply(x, ctx);
  ctx.synchronize();  // the caller's arrays, for which the other context does not wait

  const larmor_context_options context_options{sizeof context_options, device.on_gpu() ? "cuda" : "cpu", 2, 1,
                                               0};
  const larmor_nufft_options nufft_options{sizeof nufft_options, 1e-4, 3, 0, 0};
  const larmor_shape image{2, {12, 10}}, maps_shape{3, {3, 12, 10}};
  larmor_context* context = nullptr;
  larmor_operator *nufft = nullptr, *maps = nullptr, *model = nullptr;
  ASSERT_EQ(larmor_context_create(&context_options, &context), LARMOR_OK);
  ASSERT_EQ(larmor_nufft_create(context, precision, &image, 400, k.data(), &nufft_options, &nufft),
            LARMOR_OK);
  ASSERT_EQ(larmor_coil_maps_create(context, precision, &maps_shape, m.data(), &maps), LARMOR_OK);
  ASSERT_EQ(larmor_product_create(nufft, maps, &model), LARMOR_OK);
  Array<C> samples(y.shape(), device), gridded(shape, device), solved(shape, device);
  ASSERT_EQ(larmor_operator_apply(model, x.data(), samples.data()), LARMOR_OK);
  EXPECT_TRUE(same_bits(samples, y));
  ASSERT_EQ(larmor_operator_adjoint(model, y.data(), gridded.data()), LARMOR_OK);
  EXPECT_TRUE(same_bits(gridded, A.adjoint(y, ctx)));
  const char* term = "l2:1e-2";
  larmor_solve_options solve_options{};
  solve_options.struct_size = sizeof solve_options;
  solve_options.solver = "cg";
  solve_options.regularizers = &term;
  solve_options.regularizer_count = 1;
  solve_options.iterations = 7;
  ASSERT_EQ(larmor_solve(model, y.data(), solved.data(), &solve_options), LARMOR_OK);
  EXPECT_TRUE(same_bits(solved, conjugate_gradient<T>(A, y, {l2<T>(1e-2)}, {.iterations = 7}, ctx).x));
  for (larmor_operator* op : {nufft, maps, model}) larmor_operator_destroy(op);
  larmor_context_destroy(context);
}

TEST(CInterface, SameBitsAsTheLibrary) {
  expect_same_bits<float>(LARMOR_SINGLE, Device::cpu());
  expect_same_bits<double>(LARMOR_DOUBLE, Device::cpu());
}

class CInterfaceOnGpu : public testing::Test {
 protected:
  void SetUp() override { skip_without(Device::cuda()); }
};

TEST_F(CInterfaceOnGpu, SameBitsAsTheLibrary) {
  expect_same_bits<float>(LARMOR_SINGLE, Device::cuda());
  expect_same_bits<double>(LARMOR_DOUBLE, Device::cuda());
}

// Options compiled against an older header with a shorter struct: memory behind it is not read.
TEST(CInterface, ShorterOptionsHaveDefaultsBeyond) {
  struct {
    larmor_nufft_options options;
  } old{};
  old.options.struct_size = offsetof(larmor_nufft_options, coils);
  old.options.tolerance = 1e-3;
  old.options.coils = -77;
  const larmor_shape image{1, {8}};
  const double k = 0.25;
  larmor_context* context = nullptr;
  larmor_operator* nufft = nullptr;
  ASSERT_EQ(larmor_context_create(nullptr, &context), LARMOR_OK);
  ASSERT_EQ(larmor_nufft_create(context, LARMOR_SINGLE, &image, 1, &k, &old.options, &nufft), LARMOR_OK)
      << larmor_last_error();
  larmor_shape domain{};
  ASSERT_EQ(larmor_operator_shapes(nufft, &domain, nullptr), LARMOR_OK);
  EXPECT_EQ(domain.rank, 1);
  larmor_operator_destroy(nufft);
  larmor_context_destroy(context);
}

}  // namespace
}  // namespace larmor::test
