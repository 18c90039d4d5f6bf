// cuFINUFFT's names: results equal FINUFFT's, for arrays on the device.
#include "device_cases.hpp"

#include <larmor/capi/cufinufft/cufinufft.h>
#include <larmor/capi/finufft/finufft.h>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace larmor::test {
namespace {

// The functions of one precision, on the device and on the host.
template <typename V, auto make_plan, auto set, auto run, auto end, auto make_host, auto set_host,
          auto run_host, auto end_host>
struct Functions {
  using Value = V;
  static constexpr auto make = make_plan;
  static constexpr auto set_points = set;
  static constexpr auto execute = run;
  static constexpr auto destroy = end;
  static constexpr auto host_make = make_host;
  static constexpr auto host_set_points = set_host;
  static constexpr auto host_execute = run_host;
  static constexpr auto host_destroy = end_host;
};
template <typename T>
struct Names;
template <>
struct Names<double>
    : Functions<cuDoubleComplex, cufinufft_makeplan, cufinufft_setpts, cufinufft_execute, cufinufft_destroy,
                finufft_makeplan, finufft_setpts, finufft_execute, finufft_destroy> {
  using Plan = cufinufft_plan;
  using HostPlan = finufft_plan;
};
template <>
struct Names<float>
    : Functions<cuFloatComplex, cufinufftf_makeplan, cufinufftf_setpts, cufinufftf_execute,
                cufinufftf_destroy, finufftf_makeplan, finufftf_setpts, finufftf_execute, finufftf_destroy> {
  using Plan = cufinufftf_plan;
  using HostPlan = finufftf_plan;
};

template <typename T>
class Cufinufft : public testing::Test {
 protected:
  void SetUp() override { skip_without(Device::cuda()); }
  static Array<T> numbers(Index count, double most, unsigned seed) {
    const Array<double> values = random_real({count}, -most, most, seed);
    Array<T> result({count});
    std::transform(values.begin(), values.end(), result.begin(), [](double v) { return static_cast<T>(v); });
    return result;
  }
  template <typename Element>
  static Array<Element> there(const Array<Element>& array) {
    Array<Element> result = copied_to(Device::cuda(), array);
    cudaDeviceSynchronize();
    return result;
  }
  static typename Names<T>::Value* values(Array<std::complex<T>>& array) {
    return reinterpret_cast<typename Names<T>::Value*>(array.data());
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Cufinufft, Precisions);

TYPED_TEST(Cufinufft, NumbersAreThoseOfTheHost) {
  using T = TypeParam;
  using N = Names<T>;
  constexpr Index points = 700, frequencies = 60, batch = 2;
  const std::int64_t modes[3] = {12, 11, 10};
  const T tolerance = sizeof(T) == 4 ? T(1e-4) : T(1e-9);
  for (const int type : {1, 2, 3})
    for (const int dim : {1, 2, 3})
      for (const int modeord : {0, 1}) {
        if (type == 3 && modeord == 1) continue;
        Array<T> x[3], s[3], device_x[3], device_s[3];
        for (unsigned axis = 0; axis < 3; ++axis) {
          x[axis] = TestFixture::numbers(points, 3, axis);
          s[axis] = TestFixture::numbers(frequencies, 9, axis + 3);
          device_x[axis] = TestFixture::there(x[axis]);
          device_s[axis] = TestFixture::there(s[axis]);
        }
        Index others = type == 3 ? frequencies : 1;
        for (int axis = 0; axis < dim && type != 3; ++axis) others *= modes[axis];
        auto c = random_complex<T>({batch, points}, 7), f = random_complex<T>({batch, others}, 8);
        auto device_c = TestFixture::there(c), device_f = TestFixture::there(f);
        finufft_opts host_options;
        finufft_default_opts(&host_options);
        host_options.modeord = modeord;
        typename N::HostPlan host = nullptr;
        ASSERT_EQ(N::host_make(type, dim, modes, -1, batch, tolerance, &host, &host_options), 0);
        ASSERT_EQ(N::host_set_points(host, points, x[0].data(), x[1].data(), x[2].data(), frequencies,
                                     s[0].data(), s[1].data(), s[2].data()),
                  0);
        ASSERT_EQ(N::host_execute(host, c.data(), f.data()), 0);
        N::host_destroy(host);
        cufinufft_opts options;
        cufinufft_default_opts(&options);
        options.modeord = modeord;
        typename N::Plan plan = nullptr;
        ASSERT_EQ(N::make(type, dim, modes, -1, batch, tolerance, &plan, &options), 0);
        ASSERT_EQ(N::set_points(plan, points, device_x[0].data(), device_x[1].data(), device_x[2].data(),
                                frequencies, device_s[0].data(), device_s[1].data(), device_s[2].data()),
                  0);
        ASSERT_EQ(N::execute(plan, TestFixture::values(device_c), TestFixture::values(device_f)), 0);
        cudaDeviceSynchronize();
        const auto found = fetched(type == 2 ? device_c : device_f);
        const auto& expected = type == 2 ? c : f;
        EXPECT_LT(relative_difference(found, expected), 5 * tolerance) << type << dim << modeord;
        EXPECT_EQ(N::destroy(plan), 0);
      }
}

TYPED_TEST(Cufinufft, StreamsOfTheProgramAreInOrder) {
  using T = TypeParam;
  using N = Names<T>;
  constexpr Index points = 200000, modes = 5000;
  const std::int64_t n[1] = {modes};
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cufinufft_opts options;
  cufinufft_default_opts(&options);
  options.gpu_stream = stream;
  typename N::Plan plan = nullptr;
  ASSERT_EQ(N::make(1, 1, n, 1, 1, T(1e-4), &plan, &options), 0);
  auto x = TestFixture::there(TestFixture::numbers(points, 3, 1));
  ASSERT_EQ(N::set_points(plan, points, x.data(), nullptr, nullptr, 0, nullptr, nullptr, nullptr), 0);
  const auto c = random_complex<T>({points}, 2);
  auto later = TestFixture::there(c), first = TestFixture::there(filled<std::complex<T>>({points}, 0)),
       f = TestFixture::there(filled<std::complex<T>>({modes}, 0));
  ASSERT_EQ(N::execute(plan, TestFixture::values(later), TestFixture::values(f)), 0);
  Array<std::complex<T>> expected({modes}), found({modes});
  cudaMemcpyAsync(expected.data(), f.data(), expected.view().bytes(), cudaMemcpyDefault, stream);
  // The strengths are written late and the result is read at once, both in the stream, without any wait.
  for (int i = 0; i < 20; ++i)
    cudaMemcpyAsync(first.data(), later.data(), c.view().bytes(), cudaMemcpyDefault, stream);
  ASSERT_EQ(N::execute(plan, TestFixture::values(first), TestFixture::values(f)), 0);
  cudaMemcpyAsync(found.data(), f.data(), found.view().bytes(), cudaMemcpyDefault, stream);
  cudaStreamSynchronize(stream);
  EXPECT_GT(std::abs(expected[0]), 0);
  EXPECT_LT(relative_difference(found, expected), 1e-3);
  EXPECT_EQ(N::destroy(plan), 0);
  cudaStreamDestroy(stream);
}

TYPED_TEST(Cufinufft, CodesAreItsOwn) {
  using N = Names<TypeParam>;
  typename N::Plan plan = nullptr;
  const std::int64_t n[3] = {16, 16, 16}, bad[3] = {0, 1, 1};
  const auto make = [&](int type, int dim, const std::int64_t* modes, int count, cufinufft_opts* options) {
    return N::make(type, dim, modes, 1, count, TypeParam(1e-5), &plan, options);
  };
  EXPECT_EQ(make(1, 0, n, 1, nullptr), 12);
  EXPECT_EQ(make(4, 1, n, 1, nullptr), 10);
  EXPECT_EQ(make(1, 1, n, 0, nullptr), 9);
  EXPECT_EQ(make(1, 1, bad, 1, nullptr), 14);
  cufinufft_opts options;
  cufinufft_default_opts(&options);
  options.upsampfac = 0.9;
  EXPECT_EQ(make(1, 2, n, 1, &options), 8);
  options.gpu_kerevalmeth = 0;
  EXPECT_EQ(make(1, 2, n, 1, &options), 7);
  cufinufft_default_opts(&options);
  options.gpu_device_id = 99;
  EXPECT_EQ(make(1, 2, n, 1, &options), 15);
  cufinufft_default_opts(&options);
  options.gpu_spreadinterponly = 1;
  EXPECT_EQ(make(1, 2, n, 1, &options), 21);
  EXPECT_EQ(N::destroy(nullptr), 16);
  ASSERT_EQ(make(3, 1, n, 1, nullptr), 0);
  EXPECT_EQ(N::execute(plan, nullptr, nullptr), 16);
  EXPECT_EQ(N::set_points(plan, 1, nullptr, nullptr, nullptr, 1, nullptr, nullptr, nullptr), 21);
  EXPECT_EQ(N::set_points(plan, 1, nullptr, nullptr, nullptr, -1, nullptr, nullptr, nullptr), 20);
  EXPECT_EQ(N::destroy(plan), 0);
}

}  // namespace
}  // namespace larmor::test
