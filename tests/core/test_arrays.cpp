#include "device_cases.hpp"
#include "error_of.hpp"
#include "peak_memory.hpp"

#include <larmor/core/array.hpp>
#include <larmor/core/device.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/core/vectors/vector_ops.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <type_traits>
#include <vector>

namespace larmor::test {
namespace {

using testing::HasSubstr;

TEST(Shape, CountsPrintsAndCompares) {
  const Shape shape{8, 3, 5};
  EXPECT_EQ(shape.size(), 120);
  EXPECT_EQ(shape.to_string(), "[8, 3, 5]");
  EXPECT_EQ(shape.drop_front(1), (Shape{3, 5}));
  EXPECT_EQ(shape.prepend(2), (Shape{2, 8, 3, 5}));
  EXPECT_FALSE((shape == Shape{8, 3}));
  EXPECT_EQ(Shape{}.size(), 1);
}

TEST(Shape, RefusesNegativeTooManyAndUncountable) {
  EXPECT_THROW((Shape{2, -1}), Error);
  EXPECT_THROW((Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}), Error);
  EXPECT_THROW((Shape{Index{1} << 40, Index{1} << 40}.size()), Error);
}

double sum_of(View<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

TEST(View, BorrowsVectorsAndSpans) {
  std::vector<double> values{1, 2, 3, 4, 5, 6};
  const View<double> all = values;
  EXPECT_EQ(all.shape(), Shape{6});
  EXPECT_EQ(all.device(), Device::cpu());
  all[5] = 7;
  EXPECT_EQ(values[5], 7);

  const View<const double> rows(values, {2, 3});
  EXPECT_EQ(rows.slice(1)[2], 7);
  EXPECT_EQ(sum_of(values), 22);
  EXPECT_EQ(sum_of(std::span<const double>(values).first(3)), 6);
  EXPECT_EQ(sum_of(std::array<double, 2>{8, 9}), 17);
}

TEST(View, TakesOnlyValuesOfItsOwnType) {
  static_assert(std::is_convertible_v<std::vector<float>&, View<float>>);
  static_assert(std::is_convertible_v<const std::vector<float>&, View<const float>>);
  static_assert(!std::is_convertible_v<const std::vector<float>&, View<float>>);
  static_assert(!std::is_convertible_v<std::vector<double>&, View<float>>);
  static_assert(!std::is_convertible_v<std::vector<float>, View<float>>);  // it would be destroyed at once
}

TEST(View, RefusesAShapeOfAnotherSize) {
  const std::vector<float> values(6);
  EXPECT_THAT(error_of([&] {
                View<const float>(values, {2, 4});
              }),
              testing::MatchesRegex(R"(2: .*cannot reshape \[6\] to \[2, 4\].*)"));
}

TEST(Error, KeepsWhatItIsAbout) {
  const Error plain(ErrorClass::input, "no samples");
  EXPECT_EQ(plain.parameter(), "");
  EXPECT_EQ(fault_of([] { throw Error(ErrorClass::usage, "two densities").about("density"); }),
            "2 density: two densities");
}

template <typename Case>
class Arrays : public OnDevice<Case> {};
TYPED_TEST_SUITE(Arrays, DeviceCases, CaseNames);

TYPED_TEST(Arrays, AreAlignedMoveAndReportTheirMemory) {
  using T = typename TypeParam::T;
  const PeakMemory peak(this->device());
  const std::size_t before = this->memory().current_bytes;
  {
    Array<T> a({3, 7}, this->device());
    EXPECT_EQ(a.device(), this->device());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
    EXPECT_EQ(this->memory().current_bytes, before + 21 * sizeof(T));
    EXPECT_EQ(peak.bytes(), 21 * sizeof(T));
    T* data = a.data();
    Array<T> b = std::move(a);
    EXPECT_EQ(b.data(), data);
    EXPECT_EQ(b.device(), this->device());
  }
  EXPECT_EQ(this->memory().current_bytes, before);
}

TYPED_TEST(Arrays, CopiesKeepEveryElementAndAreApart) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const auto x = random_complex<T>({5, 1001}, 1);
  auto there = copied_to(this->device(), x);
  EXPECT_EQ(there.device(), this->device());
  EXPECT_EQ(there.shape(), x.shape());
  const auto second = clone(there);
  EXPECT_EQ(second.device(), this->device());
  EXPECT_NE(second.data(), there.data());
  fill<T>(there, 0, this->ctx());
  EXPECT_TRUE(same_bits(second, x));
  for (const C& value : fetched(there)) EXPECT_EQ(value, C(0));
  EXPECT_TRUE(same_bits(copied_to(Device::cpu(), second.view().slices(2, 2)),
                        copied_to(Device::cpu(), x.view().slices(2, 2))));
}

TYPED_TEST(Arrays, InTheHostsMemoryAreTheDevicesToWorkOn) {
  using T = typename TypeParam::T;
  using C = std::complex<T>;
  const auto x = random_complex<T>({5, 1001}, 1);
  const std::size_t before = this->memory().current_bytes, host_before = memory_use().current_bytes;
  {
    Array<C> array = copied_to(this->device(), x.view(), Placement::host);
    EXPECT_EQ(array.device(), this->device());
    EXPECT_EQ(array.placement(), Placement::host);
    EXPECT_TRUE(!this->device().on_gpu() || this->memory().current_bytes == before);
    EXPECT_EQ(memory_use().current_bytes, host_before + x.view().bytes());
    axpy<T>(2, clone(array), array, this->ctx());
    const Array<C> moved = std::move(array);
    EXPECT_EQ(moved.placement(), Placement::host);
    const auto here = fetched(moved);
    for (Index i = 0; i < x.size(); ++i) EXPECT_EQ(here[i], x[i] + T(2) * x[i]);
  }
  EXPECT_EQ(memory_use().current_bytes, host_before);
}

TYPED_TEST(Arrays, MoveWithoutACopyWhereTheyAreAlready) {
  auto array = this->random({100}, 1);
  const auto* data = array.data();
  const std::size_t allocations = this->memory().allocations;
  const auto moved = moved_to(this->device(), std::move(array));
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(this->memory().allocations, allocations);
}

TYPED_TEST(Arrays, EmptyOnesTakeNoMemory) {
  const std::size_t allocations = this->memory().allocations;
  const Array<typename TypeParam::T> empty({0, 4}, this->device());
  EXPECT_EQ(copied_to(Device::cpu(), empty).size(), 0);
  EXPECT_EQ(this->memory().allocations, allocations);
}

TYPED_TEST(Arrays, MoreMemoryThanThereIsNamesTheBytesAndLosesNone) {
  using T = typename TypeParam::T;
  const std::size_t before = this->memory().current_bytes;
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      Array<T> huge({Index{1} << 50}, this->device());
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::resource);
      // So much host memory is not even requested.
      if (this->device().on_gpu()) {
        EXPECT_THAT(error.what(), HasSubstr(std::to_string(sizeof(T) << 50) + " bytes"));
        EXPECT_THAT(error.what(), HasSubstr(this->device().to_string()));
      } else {
        EXPECT_THAT(error.what(), HasSubstr(format_bytes(sizeof(T) << 50) + " more needed"));
      }
    }
    EXPECT_EQ(this->memory().current_bytes, before);
    // The device still works.
    const auto x = random_complex<T>({1000}, 2);
    auto y = copied_to(this->device(), x);
    scale<T>(2, y, this->ctx());
    EXPECT_NEAR(squared_norm<T>(y, this->ctx()) / squared_norm<T>(copied_to(this->device(), x), this->ctx()),
                4, 1e-6);
  }
}

// Large arrays reuse the memory of earlier ones, and two live arrays never share memory.
TEST(Array, LargeOnesComeBack) {
  const Index bytes = Index{8} << 20;
  const std::size_t before = memory_use().current_bytes;
  for (int repeat = 0; repeat < 3; ++repeat) {
    Array<char> arrays[] = {Array<char>({bytes}), Array<char>({bytes}), Array<char>({bytes + 5})};
    EXPECT_EQ(memory_use().current_bytes, before + static_cast<std::size_t>(3 * bytes + 5));
    for (char i = 0; i < 3; ++i)
      for (char& byte : arrays[static_cast<int>(i)]) byte = i;
    for (char i = 0; i < 3; ++i)
      for (const Index place : {Index{0}, bytes / 2, bytes - 1})
        EXPECT_EQ(arrays[static_cast<int>(i)][place], i);
  }
  EXPECT_EQ(memory_use().current_bytes, before);
}

TEST(Array, ViewsSliceAndReshape) {
  Array<int> a({2, 3});
  for (Index i = 0; i < 6; ++i) a[i] = static_cast<int>(i);
  EXPECT_EQ(a.view().slice(1)[2], 5);
  EXPECT_EQ(a.view().slices(1, 1).shape(), (Shape{1, 3}));
  EXPECT_EQ(a.view().reshaped({3, 2}).slice(2)[0], 4);
  EXPECT_THROW(a.view().reshaped({4, 2}), Error);
}

TEST(Device, ParsesItsNames) {
  EXPECT_EQ(Device::parse("cpu"), Device::cpu());
  EXPECT_EQ(Device::parse("cuda"), Device::cuda(0));
  EXPECT_EQ(Device::parse("cuda:3"), Device::cuda(3));
  EXPECT_EQ(Device::parse("auto"), Device::automatic());
  for (const char* text : {"", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:1x", "CPU"})
    EXPECT_THROW(Device::parse(text), Error) << text;
}

TEST(Device, CudaThatCannotBeUsedSaysWhy) {
  const int count = cuda_device_count();
  const std::size_t before = memory_use(Device::Kind::cuda).current_bytes;
  for (const int ordinal : {count, 99}) {
    const Device device = Device::cuda(ordinal);
    const auto refused = [&](const auto& use) {
      try {
        use();
        ADD_FAILURE() << device.to_string() << " was accepted";
      } catch (const Error& error) {
        EXPECT_EQ(error.error_class(), ErrorClass::resource);
        EXPECT_THAT(error.what(), HasSubstr(device.to_string()));
        EXPECT_THAT(error.what(), HasSubstr("use the CPU"));
        // The devices that were found: their number, or a message that there is none or no driver.
        if (count > 0) {
          EXPECT_THAT(error.what(), HasSubstr("the last one cuda:" + std::to_string(count - 1)));
        } else {
          EXPECT_THAT(error.what(),
                      testing::AnyOf(HasSubstr("without the CUDA toolkit"),
                                     HasSubstr("no CUDA device was found"), HasSubstr("driver")));
        }
        EXPECT_THAT(error.what(), testing::Not(HasSubstr("\n")));
      }
    };
    refused([&] { require_available(device); });
    refused([&] { Context ctx(device); });
    refused([&] { Array<float> array({4}, device); });
  }
  EXPECT_EQ(memory_use(Device::Kind::cuda).current_bytes, before);
}

TEST(Device, AutomaticIsOneThatCanBeUsed) {
  const Device device = Device::automatic();
  EXPECT_NO_THROW(require_available(device));
  if (cuda_device_count() == 0) {
    EXPECT_EQ(device, Device::cpu());
  }
  Context ctx(device);
  const auto x = copied_to(device, filled<std::complex<float>>({10}, 2));
  EXPECT_NEAR(squared_norm<float>(x, ctx), 40, 1e-5);
}

}  // namespace
}  // namespace larmor::test
