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

/// Expects that a program, started beside scan.h5, writes the image of recon run with these options.
void expect_image_of_the_command(const std::string& program, const Words& options, float tolerance) {
  TemporaryFolder folder;
  // With correlated noise between channels: maps that stay whitened would shade the image.
  succeed({"simulate", folder / "scan.h5", "--trajectory", "radial", "--matrix", "48", "--coils", "4",
           "--quiet"});
  ASSERT_EQ(std::system(("cd '" + (folder / "") + "' && '" + program + "'").c_str()), 0);
  const Outcome outcome = succeed(joined({"run", folder / "scan.h5", "-o", folder / "recon.nii.gz",
                                          "--regularizer", "none", "--device", "cpu", "-v"},
                                         options));
  EXPECT_NE(outcome.err.find("whitening with"), std::string::npos) << outcome.err;
  const auto found = read_array(folder / "image.nii.gz"), expected = read_array(folder / "recon.nii.gz");
  ASSERT_EQ(found.shape(), expected.shape());
  float most = 0;
  for (const auto& value : expected) most = std::max(most, std::abs(value));
  ASSERT_GT(most, 0);
  for (Index i = 0; i < found.size(); ++i) ASSERT_LE(std::abs(found[i] - expected[i]), tolerance * most) << i;
}

TEST(Compose, GivesTheImageOfTheCommand) {
  expect_image_of_the_command(LARMOR_COMPOSE, {}, 1e-5F);
}

TEST(Compose, WithItsCoilsDividedAmongTwoRanksToo) {
  expect_image_of_the_command(LARMOR_EXAMPLE_RANKS, {"--iterations", "6"}, 1e-3F);
}

TEST(Compose, PrintsTheLineOfAnErrorThatNobodyCatches) {
  TemporaryFolder folder;
  const int status = std::system(("cd '" + (folder / "") + "' && '" LARMOR_COMPOSE "' 2> said.txt").c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_EQ(read_file(folder / "said.txt"), "error: cannot read scan.h5: No such file or directory\n");
}

}  // namespace
}  // namespace larmor::test
