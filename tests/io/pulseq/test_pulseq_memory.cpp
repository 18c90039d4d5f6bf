#include "error_of.hpp"

#include <larmor/io/pulseq/sequence_trajectory.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

namespace larmor::test {
namespace {

TEST(PulseqMemory, OfFewBlocksAndManySamplesNeedsTheMemoryForThem) {
  std::string blocks;
  for (int block = 1; block <= 64; ++block) blocks += std::to_string(block) + " 0 0 0 0 0 1 0\n";
  const std::string text = "[VERSION]\nmajor 1\nminor 3\nrevision 0\n[BLOCKS]\n" + blocks +
                           "[ADC]\n1 4000000 100 0 0 0\n[SHAPES]\n\n";
  ASSERT_LT(text.size(), 3000U);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  const rlimit limit{rlim_t{1} << 30, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &limit), 0);
  const std::string error = error_of([&] { pulseq_trajectory(text, "file"); });
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
  EXPECT_EQ(error.find("4: file: the trajectory of 256000000 samples needs 12.29 GB"), 0U) << error;
}

}  // namespace
}  // namespace larmor::test
