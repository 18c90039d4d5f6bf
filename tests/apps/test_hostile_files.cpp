#include "apps/recon_process.hpp"
#include "io/hostile_files.hpp"
#include "io/hostile_structures.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

// Every damaged, contradictory or odd file through the command: one line, the right exit status, the input
// unchanged, an output that was there before still there, nothing left behind.

namespace larmor::test {
namespace {

using hostile::Case;

std::vector<std::string> reading_options(const Case& each) {
  std::vector<std::string> options;
  if (!each.group.empty()) options.insert(options.end(), {"--group", each.group});
  if (each.memory_limit > 0) options.insert(options.end(), {"--memory", std::to_string(each.memory_limit)});
  return options;
}

std::string last_line(const std::string& text) {
  if (text.empty()) return "";
  const std::size_t end = text.back() == '\n' ? text.size() - 1 : text.size();
  const std::size_t start = text.rfind('\n', end - 1);
  return start == std::string::npos ? text.substr(0, end) : text.substr(start + 1, end - start - 1);
}

int count_errors(const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find("recon: "); at != std::string::npos; at = text.find("recon: ", at + 1))
    count += at == 0 || text[at - 1] == '\n';
  return count;
}

class HostileScan : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    GetParam().write(scan_);
    before_ = hostile::contents(scan_);
    write_file(folder_ / "image.npy", "an earlier result");
    names_ = names_in(folder_.path());
  }

  void expect_refused(const Outcome& outcome) {
    const Case& each = GetParam();
    EXPECT_EQ(outcome.status, each.exit_code) << outcome.err;
    EXPECT_EQ(count_errors(outcome.err), 1) << outcome.err;
    const std::string message = last_line(outcome.err);
    EXPECT_EQ(message.find("recon: "), 0U) << outcome.err;
    for (const std::string& word : each.words)
      EXPECT_NE(message.find(word), std::string::npos) << message << "\nlacks: " << word;
  }

  void expect_untouched() {
    EXPECT_EQ(hostile::contents(scan_), before_) << "the input was changed";
    EXPECT_EQ(names_in(folder_.path()), names_) << "something was left behind";
    EXPECT_EQ(read_file(folder_ / "image.npy"), "an earlier result");
  }

  Outcome run() {
    std::vector<std::string> words{"run",         scan_,          "-o", folder_ / "image.npy",
                                   "--overwrite", "--iterations", "2"};
    const auto more = reading_options(GetParam());
    words.insert(words.end(), more.begin(), more.end());
    return recon(words);
  }

  TemporaryFolder folder_;
  const std::string scan_ = folder_ / "scan.h5";
  std::string before_;
  std::vector<std::string> names_;
};

TEST_P(HostileScan, IsReconstructedOrRefused) {
  const Outcome outcome = run();
  EXPECT_EQ(outcome.out, "");
  if (GetParam().outcome == hostile::Outcome::succeeds) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_file(folder_ / "image.npy").substr(1, 5), "NUMPY");
    write_file(folder_ / "image.npy", "an earlier result");
  } else {
    expect_refused(outcome);
  }
  expect_untouched();
}

TEST_P(HostileScan, IsShownAsFarAsItCanBeRead) {
  std::vector<std::string> words{"info", scan_, "--json"};
  const auto more = reading_options(GetParam());
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = recon(words);
  switch (GetParam().outcome) {
    case hostile::Outcome::succeeds:
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      EXPECT_EQ(outcome.out.substr(0, 1), "{");
      break;
    case hostile::Outcome::reader_refuses:
      expect_refused(outcome);
      EXPECT_EQ(outcome.out, "");
      break;
    case hostile::Outcome::later_refuses:
      // Some obstacles show only in the samples, which info does not look at.
      EXPECT_TRUE(outcome.status == GetParam().exit_code || outcome.status == 0) << outcome.err;
      EXPECT_EQ(outcome.out.substr(0, 1), "{");
      break;
  }
  expect_untouched();
}

INSTANTIATE_TEST_SUITE_P(Case, HostileScan, testing::ValuesIn(hostile::cases()), [](const auto& each) {
  return std::to_string(each.param.number) + "_" + each.param.name;
});

#ifdef __SANITIZE_ADDRESS__
constexpr bool memory_counts = false;
#else
constexpr bool memory_counts = true;
#endif

// One line, a status of 2 to 4, and memory that the size of the file deserves.
void expect_harmless(const std::vector<std::string>& words, const std::string& file) {
  const std::string before = hostile::contents(file);
  const Outcome outcome = recon(words);
  EXPECT_GE(outcome.status, 2) << file << "\n" << outcome.err;
  EXPECT_LE(outcome.status, 4) << file << "\n" << outcome.err;
  EXPECT_EQ(count_errors(outcome.err), 1) << outcome.err;
  if (memory_counts) {
    EXPECT_LT(outcome.peak_bytes, before.size() * 3 / 2 + 200000000) << file;
  }
  EXPECT_EQ(hostile::contents(file), before) << "the input was changed";
}

TEST(HostileImages, ClaimNoMoreThanTheyHold) {
  const TemporaryFolder folder;
  const std::string bomb = folder / "bomb.h5";
  hostile::write_image_bomb(bomb);
  expect_harmless({"compare", bomb, bomb}, bomb);
}

TEST(HostileImages, InPipesAreNotWaitedFor) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe.h5";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const char* command : {"info", "compare"}) {
    const Outcome outcome =
        recon(command == std::string("info") ? std::vector<std::string>{"info", pipe}
                                             : std::vector<std::string>{"compare", pipe, pipe});
    EXPECT_EQ(outcome.status, 3);
    EXPECT_NE(outcome.err.find("not a regular file"), std::string::npos) << outcome.err;
  }
}

class HostileReproducers : public testing::TestWithParam<const char*> {};

// Files that crashed, hung or filled the memory of earlier versions.
TEST_P(HostileReproducers, AreRefused) {
  const std::filesystem::path folder = std::filesystem::path(LARMOR_TEST_DATA) / "hostile";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << folder << " is not there";
  const TemporaryFolder outputs;
  const std::string command = GetParam();
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().string();
    if (entry.path().extension() != ".h5" || entry.path().stem() == "all_zero") continue;
    ++files;
    std::vector<std::string> words{command, file};
    if (command == "run") words.insert(words.end(), {"-o", outputs / "image.npy"});
    if (command == "compare") words.push_back(file);
    expect_harmless(words, file);
  }
  EXPECT_GT(files, 0);
  EXPECT_TRUE(names_in(outputs.path()).empty());
}

INSTANTIATE_TEST_SUITE_P(Of, HostileReproducers, testing::Values("info", "run", "compare"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace larmor::test
