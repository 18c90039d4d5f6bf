#include <gtest/gtest.h>

#include "apps/recon_process.hpp"

#include <filesystem>

// One command for several scans.

namespace larmor::test {
namespace {

class SeveralScans : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a", "b"})
      succeed({"simulate", at(std::string(name) + ".h5"), "--matrix", "24", "--spokes", "30", "--coils", "2",
               "--seed", name == std::string("a") ? "1" : "2", "-q"});
    write_file(at("broken.h5"), "no HDF5");
    std::filesystem::create_directory(at("out"));
  }
  Outcome run(const Words& words) {
    return recon(joined({"run", "--regularizer", "l2:1e-3", "--iterations", "5"}, words));
  }
  std::string at(const std::string& name) const { return folder_ / name; }

  TemporaryFolder folder_;
};

TEST_F(SeveralScans, GoToFilesOfTheirNames) {
  const Outcome outcome =
      run({at("a.h5"), at("b.h5"), "-o", at("out/{name}.npy"), "--report", at("out/{name}.json")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("2 of 2 scans reconstructed"), std::string::npos) << outcome.err;
  EXPECT_EQ(names_in(at("out")), (Words{"a.json", "a.npy", "b.json", "b.npy"}));
  for (const std::string name : {"a", "b"}) {
    ASSERT_EQ(run({at(name + ".h5"), "-o", at(name + ".npy"), "-q"}).status, 0);
    EXPECT_EQ(read_file(at("out/" + name + ".npy")), read_file(at(name + ".npy")))
        << "another image when alone";
  }
  EXPECT_NE(read_file(at("a.npy")), read_file(at("b.npy")));
}

TEST_F(SeveralScans, LeadToNoOtherFolder) {
  std::filesystem::copy_file(at("a.h5"), at("...h5"));
  const Outcome outcome = run({at("...h5"), "-o", at("out/{name}/x.npy"), "-q"});
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(at("x.npy")));
}

TEST_F(SeveralScans, OfALaterTurnAreNotReplaced) {
  std::filesystem::copy_file(at("b.h5"), at("a-2.h5"));
  const std::string bytes = read_file(at("a-2.h5"));
  const Outcome outcome = run({at("a.h5"), at("a-2.h5"), "-o", at("{name}-2.h5"), "-f", "-q"});
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(read_file(at("a-2.h5")), bytes);
}

TEST_F(SeveralScans, OneThatFailsDoesNotStopTheOthers) {
  const Outcome outcome =
      run({at("a.h5"), at("broken.h5"), at("missing.h5"), at("b.h5"), "-o", at("out/{name}.npy"), "-q"});
  EXPECT_EQ(outcome.status, 3) << outcome.err;
  EXPECT_EQ(names_in(at("out")), (Words{"a.npy", "b.npy"}));
  EXPECT_EQ(line_count(outcome.err), 3) << outcome.err;
  EXPECT_NE(outcome.err.find("2 of 4 scans could not be reconstructed: " + at("broken.h5") + ", " +
                             at("missing.h5")),
            std::string::npos)
      << outcome.err;
}

TEST_F(SeveralScans, ResumeLeavesOutWhatIsThere) {
  const Words words{at("a.h5"), at("b.h5"), "-o", at("out/{name}.npy"), "--resume"};
  ASSERT_EQ(run({at("a.h5"), "-o", at("out/{name}.npy")}).status, 0);
  const std::string before = read_file(at("out/a.npy"));
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("1 of 2 scans reconstructed, 1 skipped"), std::string::npos) << outcome.err;
  EXPECT_EQ(names_in(at("out")), (Words{"a.npy", "b.npy"}));
  EXPECT_EQ(read_file(at("out/a.npy")), before);
  EXPECT_EQ(run({at("a.h5"), "-o", at("out/{name}.npy"), "-q"}).status, 2) << "an output that exists is kept";
}

TEST_F(SeveralScans, ResumeRepeatsAScanThatLacksOneFile) {
  const Words words{at("a.h5"), at("b.h5"), "-o", at("out/{name}.cfl"), "--resume", "-f"};
  ASSERT_EQ(run(words).status, 0);
  std::filesystem::remove(at("out/a.hdr"));
  const Outcome outcome = run(words);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("1 of 2 scans reconstructed, 1 skipped"), std::string::npos) << outcome.err;
  EXPECT_EQ(names_in(at("out")), (Words{"a.cfl", "a.hdr", "b.cfl", "b.hdr"}));
}

// A report without its images is left over from a run that did not end, or describes images that were
// removed.
TEST_F(SeveralScans, ResumeReplacesReportsWithoutImages) {
  const Words words{at("a.h5"), at("b.h5"), "-o", at("out/{name}.npy"), "--report", at("out/{name}.json"),
                    "-q"};
  ASSERT_EQ(run(words).status, 0);
  std::filesystem::remove(at("out/a.npy"));
  write_file(at("out/a.json"), "left over");
  const std::string other = read_file(at("out/b.json"));
  expect_refused(run({at("a.h5"), "-o", at("out/{name}.npy"), "--report", at("out/{name}.json"), "-q"}), 2,
                 "a.json exists");
  const Outcome outcome = run(joined(words, {"--resume"}));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(names_in(at("out")), (Words{"a.json", "a.npy", "b.json", "b.npy"}));
  EXPECT_TRUE(read_file(at("out/a.json")).starts_with("{"));
  EXPECT_EQ(read_file(at("out/b.json")), other);
}

TEST_F(SeveralScans, NeverShareAFile) {
  std::filesystem::copy_file(at("a.h5"), at("out/a.h5"));
  for (const Words& words :
       {Words{at("a.h5"), at("b.h5"), "-o", at("one.npy")},
        Words{at("a.h5"), at("out/a.h5"), "-o", at("{name}.npy")},
        Words{at("a.h5"), at("b.h5"), "-o", at("{name}.npy"), "--report", at("one.json")}}) {
    expect_refused(run(words), 2, "would be written for");
  }
  EXPECT_EQ(run({at("a.h5"), at("b.h5"), "-o", at("{name}.npy"), "--gpus", "2"}).status, 2);
}

}  // namespace
}  // namespace larmor::test
