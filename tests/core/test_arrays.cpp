#include "random_arrays.hpp"

#include <larmor/core/array.hpp>
#include <larmor/core/device.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Array, IsAlignedMovesAndReportsItsMemory) {
  const std::size_t before = memory_use().current_bytes;
  {
    Array<float> a({3, 7});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u);
    EXPECT_EQ(memory_use().current_bytes, before + 84);
    float* data = a.data();
    Array<float> b = std::move(a);
    EXPECT_EQ(b.data(), data);
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

TEST(Array, MoreMemoryThanThereIsNamesTheBytes) {
  try {
    Array<double> huge({Index{1} << 50});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::resource);
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(std::size_t{8} << 50)));
  }
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
  try {
    require_available(Device::cuda(0));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::resource);
    EXPECT_THAT(error.what(), HasSubstr("--device cpu"));
  }
}

}  // namespace
}  // namespace larmor::test
