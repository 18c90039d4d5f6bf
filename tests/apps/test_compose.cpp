#include "apps/recon_process.hpp"

#include <larmor/io/formats.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

// The README's program and the command give the same image.

namespace larmor::test {
namespace {

TEST(Compose, GivesTheImageOfTheCommand) {
  TemporaryFolder folder;
  // With correlated noise between channels: maps that stay whitened would shade the image.
  succeed({"simulate", folder / "scan.h5", "--trajectory", "radial", "--matrix", "48", "--coils", "4",
           "--quiet"});
  const std::string command = "cd '" + (folder / "") + "' && '" LARMOR_COMPOSE "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const Outcome outcome = succeed({"run", folder / "scan.h5", "-o", folder / "recon.nii.gz", "--regularizer",
                                   "none", "--device", "cpu", "-v"});
  EXPECT_NE(outcome.err.find("whitening with"), std::string::npos) << outcome.err;
  const auto found = read_array(folder / "image.nii.gz"), expected = read_array(folder / "recon.nii.gz");
  ASSERT_EQ(found.shape(), expected.shape());
  float most = 0;
  for (const auto& value : expected) most = std::max(most, std::abs(value));
  ASSERT_GT(most, 0);
  for (Index i = 0; i < found.size(); ++i) ASSERT_LE(std::abs(found[i] - expected[i]), 1e-5F * most) << i;
}

TEST(Compose, PrintsTheLineOfAnErrorThatNobodyCatches) {
  TemporaryFolder folder;
  const int status = std::system(("cd '" + (folder / "") + "' && '" LARMOR_COMPOSE "' 2> said.txt").c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(read_file(folder / "said.txt"), "error: cannot read scan.h5: No such file or directory\n");
}

TEST(Compose, WithItsCoilsDividedAmongTwoRanksToo) {
  TemporaryFolder folder;
  succeed({"simulate", folder / "scan.h5", "--trajectory", "radial", "--matrix", "48", "--coils", "4",
           "--quiet"});
  ASSERT_EQ(std::system(("cd '" + (folder / "") + "' && '" LARMOR_EXAMPLE_RANKS "'").c_str()), 0);
  succeed({"run", folder / "scan.h5", "-o", folder / "recon.nii.gz", "--regularizer", "none", "--iterations",
           "6", "--device", "cpu", "--quiet"});
  const auto found = read_array(folder / "image.nii.gz"), expected = read_array(folder / "recon.nii.gz");
  ASSERT_EQ(found.shape(), expected.shape());
  float most = 0;
  for (const auto& value : expected) most = std::max(most, std::abs(value));
  for (Index i = 0; i < found.size(); ++i) ASSERT_LE(std::abs(found[i] - expected[i]), 1e-3F * most) << i;
}

}  // namespace
}  // namespace larmor::test
