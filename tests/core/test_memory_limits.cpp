#include "sanitizers.hpp"

#include <larmor/core/array.hpp>
#include <larmor/core/error.hpp>
#include <larmor/core/memory_limits.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <vector>

namespace larmor::test {
namespace {

using testing::HasSubstr;

TEST(MemoryLimits, ReadsMemorySizes) {
  EXPECT_EQ(parse_bytes("4G"), std::size_t{4} << 30);
  EXPECT_EQ(parse_bytes("1.5GB"), std::size_t{3} << 29);
  EXPECT_EQ(parse_bytes("800m"), std::size_t{800} << 20);
  EXPECT_EQ(parse_bytes("2GiB"), std::size_t{2} << 30);
  EXPECT_EQ(parse_bytes("12345"), 12345u);
  for (const char* text : {"", "G", "-1G", "4X", "nan", "inf", "4GG", "0", "1e99", "4 G x"})
    EXPECT_THROW(parse_bytes(text), Error) << text;
}

TEST(MemoryLimits, PrintsBytes) {
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1250000000), "1.25 GB");
  EXPECT_EQ(format_bytes(340000000), "340 MB");
}

// Replacements for /proc and /sys.
class MemoryGroups : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "larmor-groups-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text;
  }
  std::string root_;
};

TEST_F(MemoryGroups, WithoutGroupsThereIsNoLimit) {
  EXPECT_EQ(memory_left_in_groups(root_), std::numeric_limits<std::size_t>::max());
  write("/proc/self/cgroup", "0::/\n");
  EXPECT_EQ(memory_left_in_groups(root_), std::numeric_limits<std::size_t>::max());
}

TEST_F(MemoryGroups, OfVersion2CountWithThoseAroundThem) {
  write("/proc/self/cgroup", "0::/jobs/job1/step\n");
  write("/sys/fs/cgroup/jobs/job1/step/memory.max", "max\n");
  write("/sys/fs/cgroup/jobs/job1/step/memory.current", "100\n");
  EXPECT_EQ(memory_left_in_groups(root_), std::numeric_limits<std::size_t>::max());
  write("/sys/fs/cgroup/jobs/memory.max", "5000\n");
  write("/sys/fs/cgroup/jobs/memory.current", "3000\n");
  EXPECT_EQ(memory_left_in_groups(root_), 2000U);
  write("/sys/fs/cgroup/jobs/memory.stat", "anon 2500\ninactive_file 500\n");
  EXPECT_EQ(memory_left_in_groups(root_), 2500U);
  write("/sys/fs/cgroup/jobs/job1/step/memory.max", "1100\n");
  EXPECT_EQ(memory_left_in_groups(root_), 1000U);
  write("/sys/fs/cgroup/jobs/job1/memory.max", "10\n");
  write("/sys/fs/cgroup/jobs/job1/memory.current", "11\n");
  EXPECT_EQ(memory_left_in_groups(root_), 0U);
}

TEST_F(MemoryGroups, OfVersion1AndInContainers) {
  write("/proc/self/cgroup", "4:cpu,memory:/docker/0123\n1:name=systemd:/docker/0123\n0::/\n");
  // Inside a container only the group itself is visible, not its path on the host.
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9000\n");
  write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "4000\n");
  write("/sys/fs/cgroup/memory/memory.stat", "cache 7\ntotal_inactive_file 1000\n");
  EXPECT_EQ(memory_left_in_groups(root_), 6000U);
  write("/sys/fs/cgroup/unified/memory.max", "8000\n");
  write("/sys/fs/cgroup/unified/memory.current", "7000\n");
  EXPECT_EQ(memory_left_in_groups(root_), 1000U);
}

TEST(MemoryLimits, SeesUlimit) {
  if (with_thread_sanitizer) GTEST_SKIP() << "ThreadSanitizer's memory counts as the program's";
  EXPECT_EQ(memory_left_by_ulimit(), std::numeric_limits<std::size_t>::max());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  const rlimit gigabyte{rlim_t{1} << 30, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &gigabyte), 0);
  const std::size_t left = memory_left_by_ulimit();
  EXPECT_LT(left, std::size_t{1} << 30);
  EXPECT_LE(available_memory_bytes(), left);
  EXPECT_THROW(Array<char>({Index{1} << 31}), Error);
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
}

TEST(MemoryLimits, LimitsArrays) {
  const std::size_t used = memory_use().current_bytes;
  limit_host_arrays(used + 1000000);
  Array<char> half({500000});
  EXPECT_THROW(Array<char>({600000}), Error);
  EXPECT_NO_THROW(Array<char>({400000}));
  limit_host_arrays(0);
  EXPECT_NO_THROW(Array<char>({600000}));
}

TEST(MemoryLimits, KnowsTheProcess) {
  EXPECT_GT(available_memory_bytes(), 0u);
  const std::size_t before = peak_resident_bytes();
  const std::size_t more = std::size_t{64} << 20;
  const std::vector<char> block(before - std::min(before, resident_bytes()) + more, 1);
  EXPECT_EQ(block.back(), 1);
  EXPECT_GE(peak_resident_bytes(), before + more / 2);
}

}  // namespace
}  // namespace larmor::test
