#include "error_of.hpp"
#include "io/hostile_files.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/core/error.hpp>
#include <larmor/io/ismrmrd/reader.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// HDF5 itself leaks memory when it reads damaged structures.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}

namespace larmor::test {
namespace {

using hostile::Case;
using hostile::Outcome;

IsmrmrdReadOptions options_of(const Case& each) {
  IsmrmrdReadOptions options;
  options.group = each.group;
  options.memory_limit = each.memory_limit;
  return options;
}

class HostileFile : public testing::TestWithParam<Case> {};

TEST_P(HostileFile, IsReadOrRefusedInOneLine) {
  const Case& each = GetParam();
  const TemporaryFolder folder;
  const std::string path = folder / "scan.h5";
  each.write(path);
  const std::string before = hostile::contents(path);
  try {
    const Scan scan = read_ismrmrd(path, options_of(each));
    EXPECT_NE(each.outcome, Outcome::reader_refuses) << "expected an error";
    EXPECT_EQ(scan.readouts.size(), each.name == "no_acquisitions" ? 0U : 25U);
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(each.outcome, Outcome::reader_refuses) << message;
    EXPECT_EQ(error.exit_code(), each.exit_code) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_NE(message.find(path), std::string::npos) << message;
    for (const std::string& word : each.words)
      EXPECT_NE(message.find(word), std::string::npos) << message << "\nlacks: " << word;
  }
  EXPECT_EQ(hostile::contents(path), before) << "the input was changed";
}

INSTANTIATE_TEST_SUITE_P(Case, HostileFile, testing::ValuesIn(hostile::cases()), [](const auto& each) {
  return std::to_string(each.param.number) + "_" + each.param.name;
});

TEST(HostileFiles, CoverTheList) {
  for (int number = 1; number <= 28; ++number) {
    if (number == 27) continue;  // streams
    EXPECT_TRUE(std::any_of(hostile::cases().begin(), hostile::cases().end(), [&](const Case& each) {
      return each.number == number;
    })) << number;
  }
}

TEST(HostileFiles, WarningsAreKept) {
  const TemporaryFolder folder;
  const std::string path = folder / "scan.h5";
  hostile::find_case("no_recon_space").write(path);
  const Scan scan = read_ismrmrd(path);
  ASSERT_EQ(scan.warnings.size(), 1U);
  EXPECT_EQ(scan.warnings[0], "encoding 0: there is no reconSpace; encodedSpace is used");
  EXPECT_FALSE(scan.encodings[0].has_recon_space);
}

TEST(HostileFiles, AnExternalTrajectoryRepairsAMissingOne) {
  const TemporaryFolder folder;
  const std::string path = folder / "scan.h5";
  hostile::find_case("no_trajectory").write(path);
  IsmrmrdReadOptions options;
  options.external_trajectory = true;
  const Scan scan = read_ismrmrd(path, options);
  EXPECT_EQ(scan.readouts[1].header.trajectory_dimensions, 0);
  EXPECT_TRUE(scan.trajectory.empty());
}

TEST(HostileFiles, ReadingStopsWhenCancelled) {
  const TemporaryFolder folder;
  const std::string path = folder / "scan.h5";
  hostile::sound_scan().write(path);
  const std::atomic<bool> cancel = true;
  IsmrmrdReadOptions options;
  options.cancel = &cancel;
  EXPECT_THAT(error_of([&] { read_ismrmrd(path, options); }), testing::StartsWith("130: "));
}

TEST(HostileFiles, NamesOfControlCharactersStayInOneLine) {
  const TemporaryFolder folder;
  const std::string path = folder / "scan.h5";
  hostile::RawFile file = hostile::sound_scan();
  file.group = "first\nline";
  file.with_head = false;
  file.write(path);
  EXPECT_EQ(error_of([&] { read_ismrmrd(path); }),
            "3: " + path + " is not ISMRMRD: no head/traj/data; the file has group first line (data, xml)");
}

}  // namespace
}  // namespace larmor::test
