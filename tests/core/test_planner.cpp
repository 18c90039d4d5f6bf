#include <larmor/core/error.hpp>
#include <larmor/core/planner.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace larmor::test {
namespace {

using testing::HasSubstr;

TEST(Planner, ReadsMemorySizes) {
  EXPECT_EQ(parse_bytes("4G"), std::size_t{4} << 30);
  EXPECT_EQ(parse_bytes("1.5GB"), std::size_t{3} << 29);
  EXPECT_EQ(parse_bytes("800m"), std::size_t{800} << 20);
  EXPECT_EQ(parse_bytes("2GiB"), std::size_t{2} << 30);
  EXPECT_EQ(parse_bytes("12345"), 12345u);
  for (const char* text : {"", "G", "-1G", "4X", "nan", "inf", "4GG", "0", "1e99", "4 G x"})
    EXPECT_THROW(parse_bytes(text), Error) << text;
}

TEST(Planner, PrintsBytes) {
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1250000000), "1.25 GB");
  EXPECT_EQ(format_bytes(340000000), "340 MB");
}

TEST(Planner, SaysHowManyBytesAreMissing) {
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

TEST(Planner, KnowsTheProcess) {
  EXPECT_GT(available_memory_bytes(), 0u);
  const std::size_t before = peak_resident_bytes();
  std::vector<char> block(std::size_t{64} << 20, 1);
  EXPECT_GE(peak_resident_bytes() + (std::size_t{8} << 20), before + block.size() / 2);
}

}  // namespace
}  // namespace larmor::test
