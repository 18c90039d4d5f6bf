#include "apps/recon_process.hpp"
#include "io/hostile_files.hpp"
#include "io/hostile_structures.hpp"
#include "sanitizers.hpp"

#include <larmor/io/formats.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

// Damaged, contradictory or unusual files given to the command: one line, the right exit status, the input
// unchanged, an existing output kept, no leftovers.

namespace larmor::test {
namespace {

using hostile::Case;

Words reading_options(const Case& each) {
  Words options;
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
    return recon(joined({"run", scan_, "-o", folder_ / "image.npy", "--overwrite", "--iterations", "2"},
                        reading_options(GetParam())));
  }

  TemporaryFolder folder_;
  const std::string scan_ = folder_ / "scan.h5";
  std::string before_;
  Words names_;
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
  const Outcome outcome = recon(joined({"info", scan_, "--json"}, reading_options(GetParam())));
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
      // Some errors are in the samples only, which info does not read.
      EXPECT_TRUE(outcome.status == GetParam().exit_code || outcome.status == 0) << outcome.err;
      EXPECT_EQ(outcome.out.substr(0, 1), "{");
      break;
  }
  expect_untouched();
}

INSTANTIATE_TEST_SUITE_P(Case, HostileScan, testing::ValuesIn(hostile::cases()), [](const auto& each) {
  return std::to_string(each.param.number) + "_" + each.param.name;
});

// One line, an exit status from 2 to 4, and memory in proportion to the size of the file.
void expect_harmless(const Words& words, const std::string& file) {
  const std::string before = hostile::contents(file);
  const Outcome outcome = recon(words);
  EXPECT_GE(outcome.status, 2) << file << "\n" << outcome.err;
  EXPECT_LE(outcome.status, 4) << file << "\n" << outcome.err;
  EXPECT_EQ(count_errors(outcome.err), 1) << outcome.err;
  if (memory_can_be_limited) {
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

TEST(HostileInputs, PipesAndDevicesAreNotOpened) {
  const TemporaryFolder folder;
  const std::string scan = folder / "scan.h5";
  hostile::sound_scan().write(scan);
  const auto expect = [](const Words& words) { expect_refused(recon(words), 3, "not a regular file"); };
  for (const std::string kind : {"pipe", "zero"}) {
    const auto made = [&](const std::string& ending) {
      const std::string name = folder / (kind + ending);
      if (kind == "zero")
        std::filesystem::create_symlink("/dev/zero", name);
      else
        EXPECT_EQ(mkfifo(name.c_str(), 0600), 0);
      return name;
    };
    const std::string array = made(".npy"), cfl = made(".cfl"), matrix = made(".mtx"), config = made(".toml"),
                      hdf5 = made(".h5");
    made(".hdr");
    expect({"info", hdf5});
    expect({"compare", hdf5, hdf5});
    expect({"compare", array, array});
    expect({"compare", cfl, cfl});
    expect({"psf", "--mask", matrix});
    expect({"run", scan, "-o", folder / "image.npy", "--quiet", "--maps", array});
    expect({"run", scan, "-o", folder / "image.npy", "--quiet", "--config", config});
  }
}

TEST(HostileInputs, ClaimNoMoreThanPeopleHave) {
  const TemporaryFolder folder;
  const auto expect = [](const Words& words, const std::string& mentions) {
    expect_refused(recon(words), 3, mentions);
  };
  const std::string matrix = folder / "mask.mtx";
  write_file(matrix, "%%MatrixMarket matrix coordinate real general\n1000000 1000000 1\n1 1 1\n");
  expect({"psf", "--mask", matrix}, "1000000 x 1000000");
  const std::string config = folder / "many.toml";
  write_file(config, "output=[" + std::string(300000, ' ') + "]\n");
  expect({"run", "scan.h5", "-o", folder / "image.npy", "--config", config}, "has more than 262144 bytes");
}

TEST(HostileInputs, ShortLinesOfConfigurationsAreNoOptions) {
  const TemporaryFolder folder;
  const std::string config = folder / "run.toml";
  const Words words{"run", "--config", config, "--print-config"};
  for (const std::string line : {"a", "=", "[", "a=", "\"", "1a"}) {
    write_file(config, "# a comment\n\n" + line + "\niterations = 3\n");
    expect_refused(recon(words), 3, "run.toml: line 3 is '" + line + "'; expected NAME = VALUE");
  }
  write_file(config, "#\niterations = 3\noutput = [\"a.npy\",\n\"b.npy\"\n]\n");
  EXPECT_EQ(recon(words).status, 0);
}

TEST(HostileNumbers, AreNamedByEveryCommandThatTakesThem) {
  const TemporaryFolder folder;
  const std::string array = folder / "given.npy", output = folder / "x.npy";
  const auto refused = [&](const Shape& shape, double value, const Words& words, const std::string& name) {
    Array<double> numbers = filled<double>(shape, 0.1);
    numbers[numbers.size() / 2] = value;
    write_array<double>(array, numbers.view(), true);
    SCOPED_TRACE(words[0] + " " + std::to_string(value));
    expect_refused(recon(words), 3, name);
  };
  for (const double value : {std::nan(""), static_cast<double>(HUGE_VALF), 1e30}) {
    refused({4, 8, 8}, value, {"match", array, "-o", output, "--dictionary", "spin-echo:TE=15:echoes=4"},
            "given.npy");
    refused({8, 8}, value, {"psf", "--mask", array, "-o", output}, "mask");
    refused({5, 6}, value,
            {"simulate", folder / "s.h5", "--matrix", "16", "--spokes", "20", "--motion", array}, "motion");
  }
  refused({2, 8, 16}, std::nan(""),
          {"convert", "--kspace", array, "--generate", "golden", "--matrix", "8", "-o", folder / "s.h5"},
          "nan");
  EXPECT_EQ(names_in(folder.path()).size(), 1U);
}

TEST(HostileNames, AreRefusedBeforeTheWork) {
  const TemporaryFolder folder;
  const std::string scan = folder / "scan.h5", loop = folder / "loop.npy";
  hostile::sound_scan().write(scan);
  std::filesystem::create_symlink("loop.npy", loop);
  const std::string long_name = folder / std::string(300, 'x');
  for (const std::string& name :
       {loop, long_name, long_name + ".npy", long_name + "/x", long_name + "/x.npy"}) {
    const Outcome outcome = recon({"run", scan, "-o", name, "--quiet"});
    EXPECT_EQ(outcome.status, 2) << outcome.err;
    EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
  }
  EXPECT_TRUE(std::filesystem::is_symlink(loop));
}

class HostileReproducers : public testing::TestWithParam<const char*> {};

// Files that crashed or hung earlier versions, or exhausted their memory.
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
    Words words{command, file};
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
