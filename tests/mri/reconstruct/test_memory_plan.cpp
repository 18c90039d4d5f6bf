#include <larmor/core/error.hpp>
#include <larmor/mri/reconstruct/options/memory_plan.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace larmor::test {
namespace {

using testing::HasSubstr;

TEST(MemoryPlan, SaysHowManyBytesAreMissing) {
  MemoryPlan plan;
  plan.add("images", 1000000);
  plan.add("grids", 3000000);
  EXPECT_EQ(plan.total(), 4000000u);
  EXPECT_NO_THROW(plan.require(4000000));
  try {
    plan.require(1500000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::resource);
    EXPECT_THAT(error.what(), HasSubstr("2 MB missing"));
    EXPECT_THAT(error.what(), HasSubstr("grids"));
  }
}

}  // namespace
}  // namespace larmor::test
