#include "io/hostile_files.hpp"
#include "io/make_images.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/core/beside_library.hpp>
#include <larmor/core/error.hpp>
#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/writer.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <numbers>
#include <thread>

namespace larmor::test {
namespace {

using hostile::contents;
using hostile::overwrite_contents;

template <typename Action>
Error error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorClass::internal, "no error");
}

ImageSeries one_image() {
  ImageSeries series;
  series.images.push_back(make_image({1, 40, 50}));
  return series;
}

// Limits files to a few bytes, as a full disk does.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = SIG_DFL;
};

TEST(AtomicFile, AppearsOnCommit) {
  const TemporaryFolder folder;
  const std::string path = folder / "out.bin";
  {
    AtomicFile writer(path);
    writer.write("hello", 5);
    EXPECT_FALSE(std::filesystem::exists(path));
    writer.commit();
  }
  EXPECT_EQ(contents(path), "hello");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(AtomicFile, LeavesNothingWhenAbandoned) {
  const TemporaryFolder folder;
  const std::string path = folder / "out.bin";
  overwrite_contents(path, "before");
  try {
    AtomicFile writer(path, true);
    writer.write("half", 4);
    throw std::runtime_error("something else fails");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(contents(path), "before");
  EXPECT_EQ(folder.files(), 1U);
}

TEST(AtomicFile, RefusesToOverwriteUnlessTold) {
  const TemporaryFolder folder;
  const std::string path = folder / "out.bin";
  overwrite_contents(path, "before");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  const Error error = error_of([&] { AtomicFile writer(path); });
  EXPECT_EQ(error.error_class(), ErrorClass::usage);
  EXPECT_NE(std::string(error.what()).find("exists; choose another name"), std::string::npos);
  EXPECT_EQ(error.parameter(), "overwrite");
  EXPECT_EQ(contents(path), "before");
  AtomicFile writer(path, true);
  writer.write("after", 5);
  writer.commit();
  EXPECT_EQ(contents(path), "after");
  struct stat status {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST(AtomicFile, SomebodyElseMakesTheTargetMeanwhile) {
  const TemporaryFolder folder;
  const std::string path = folder / "out.bin";
  AtomicFile writer(path);
  writer.write("mine", 4);
  overwrite_contents(path, "theirs");
  EXPECT_EQ(error_of([&] { writer.commit(); }).error_class(), ErrorClass::usage);
  EXPECT_EQ(contents(path), "theirs");
}

TEST(AtomicFile, SymbolicLinksStayLinks) {
  const TemporaryFolder folder, elsewhere;
  overwrite_contents(elsewhere / "real.bin", "before");
  std::filesystem::create_symlink(elsewhere / "real.bin", folder / "link.bin");
  AtomicFile writer(folder / "link.bin", true);
  writer.write("after", 5);
  writer.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.bin"));
  EXPECT_EQ(contents(elsewhere / "real.bin"), "after");
}

TEST(AtomicFile, LinksThatLeadNowhereYetStayLinks) {
  const TemporaryFolder folder, elsewhere;
  std::filesystem::create_symlink(elsewhere / "real.bin", folder / "second.bin");
  std::filesystem::create_symlink("second.bin", folder / "first.bin");
  AtomicFile file(folder / "first.bin");
  file.write("new", 3);
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "first.bin"));
  EXPECT_EQ(contents(elsewhere / "real.bin"), "new");
  EXPECT_EQ(folder.files(), 2U);
  EXPECT_EQ(error_of([&] { AtomicFile again(folder / "first.bin"); }).error_class(), ErrorClass::usage);
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_EQ(error_of([&] { AtomicFile again(folder / "circle"); }).error_class(), ErrorClass::usage);
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST(AtomicFile, PermissionsFollowTheUmask) {
  const TemporaryFolder folder;
  const auto mode_after = [&](const std::string& name, mode_t mask) {
    const mode_t before = umask(mask);
    AtomicFile file(folder / name, true);
    file.commit();
    umask(before);
    return mode_of(folder / name);
  };
  EXPECT_EQ(mode_after("new", 022), 0644U);
  EXPECT_EQ(mode_after("private", 077), 0600U);
  EXPECT_EQ(mode_after("private", 022), 0600U) << "was not for others before";
  overwrite_contents(folder / "program", "");
  ASSERT_EQ(chmod((folder / "program").c_str(), 06755), 0);
  EXPECT_EQ(mode_after("program", 022), 0644U);
}

TEST(AtomicFile, FilesWithASignatureAreReplacedAndNoOthers) {
  const TemporaryFolder folder;
  const Replaceable ours = Replaceable::beginning_with("ours");
  const auto write = [&](const std::string& path, const std::string& text) {
    AtomicFile file(path, ours);
    file.write(text.data(), text.size());
    file.commit();
  };
  write(folder / "a", "ours 1");
  write(folder / "a", "ours 2");
  EXPECT_EQ(contents(folder / "a"), "ours 2");
  for (const std::string other : {"a scan", "our", ""}) {
    overwrite_contents(folder / "a", other);
    EXPECT_EQ(error_of([&] { write(folder / "a", "ours 3"); }).error_class(), ErrorClass::usage);
    EXPECT_EQ(contents(folder / "a"), other);
  }
  // Another program's file that appears meanwhile.
  std::filesystem::remove(folder / "a");
  AtomicFile file(folder / "a", ours);
  overwrite_contents(folder / "a", "theirs");
  EXPECT_EQ(error_of([&] { file.commit(); }).error_class(), ErrorClass::usage);
  EXPECT_EQ(contents(folder / "a"), "theirs");
}

TEST(AtomicFile, AbandonedOutputsCannotComeBack) {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    auto* file = new AtomicFile(folder / "out.bin");
    file->write("half", 4);
    abandon_outputs();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(folder.files(), 0U);
}

TEST(OutputPath, IsCheckedBeforeTheWork) {
  const TemporaryFolder folder;
  const std::string scan = folder / "scan.h5";
  overwrite_contents(scan, "a scan");
  const auto check = [&](const std::string& path, bool overwrite) {
    return error_of([&] { check_output_path(path, {.overwrite = overwrite}, {scan}); });
  };
  EXPECT_STREQ(check(folder / "new.nii.gz", false).what(), "no error");
  EXPECT_STREQ(check("relative.nii", false).what(), "no error");
  EXPECT_EQ(folder.files(), 1U);

  // Case 29 of the list of hostile input.
  EXPECT_EQ(check(scan, false).error_class(), ErrorClass::usage);
  const Error itself = check(scan, true);
  EXPECT_EQ(itself.error_class(), ErrorClass::usage);
  EXPECT_NE(std::string(itself.what()).find("is the input"), std::string::npos);
  std::filesystem::create_hard_link(scan, folder / "other.h5");
  EXPECT_NE(std::string(check(folder / "other.h5", true).what()).find("is the input"), std::string::npos);
  EXPECT_NE(std::string(check(folder / "./scan.h5", true).what()).find("is the input"), std::string::npos);

  overwrite_contents(folder / "old.png", "");
  EXPECT_EQ(check(folder / "old.png", false).error_class(), ErrorClass::usage);
  EXPECT_STREQ(check(folder / "old.png", true).what(), "no error");
  overwrite_contents(folder / "old.hdr", "");
  EXPECT_EQ(check(folder / "old.cfl", false).error_class(), ErrorClass::usage);

  const Error format = check(folder / "image.jpeg", false);
  EXPECT_EQ(format.error_class(), ErrorClass::usage);
  EXPECT_NE(std::string(format.what()).find(".nii, .nii.gz, .h5, .png, .npy, .cfl, .dcm"), std::string::npos);
  EXPECT_EQ(check(".nii", false).error_class(), ErrorClass::usage);

  EXPECT_EQ(check(folder / "nowhere/image.nii", false).error_class(), ErrorClass::resource);
  EXPECT_EQ(check(scan + "/image.nii", false).error_class(), ErrorClass::resource);
  std::filesystem::create_directory(folder / "folder.nii");
  EXPECT_EQ(check(folder / "folder.nii", true).error_class(), ErrorClass::usage);
}

Scan large_scan() {
  Scan scan;
  scan.encodings.emplace_back();
  for (std::size_t i = 0; i < 1000; ++i) {
    Readout& readout = scan.readouts.emplace_back();
    readout.header.samples = 1000;
    readout.header.active_channels = 2;
    readout.data_offset = 2000 * i;
  }
  scan.data.assign(2000 * scan.readouts.size(), 1);
  return scan;
}

// The helper fails while it receives, before all of the scan is sent.
TEST(RawScan, DiskThatFillsUpLeavesTheOldFileAlone) {
  const TemporaryFolder folder;
  const std::string path = folder / "scan.h5";
  overwrite_contents(path, "before");
  const Error error = error_of([&] {
    const FullDisk disk(rlim_t{8} << 20);
    write_ismrmrd_raw(path, large_scan(), true);
  });
  EXPECT_EQ(error.error_class(), ErrorClass::resource);
  EXPECT_EQ(error.what(), "cannot write " + path + ": " + std::strerror(EFBIG));
  EXPECT_EQ(contents(path), "before");
  EXPECT_EQ(folder.files(), 1U);
}

// The superblock of an HDF5 file (version 0) has flags of the programs that have it open.
TEST(RawScan, IsMarkedAsClosed) {
  const TemporaryFolder folder;
  write_ismrmrd_raw(folder / "scan.h5", large_scan(), false);
  const std::string file = contents(folder / "scan.h5");
  ASSERT_GT(file.size(), 16000000U);
  EXPECT_EQ(file.substr(8, 1), std::string(1, '\0')) << "version";
  EXPECT_EQ(file.substr(20, 4), std::string(4, '\0'));
}

class EveryFormat : public testing::TestWithParam<std::string> {};

TEST_P(EveryFormat, FullDiskLeavesTheOldFileAlone) {
  const TemporaryFolder folder;
  const std::string path = folder / ("image" + GetParam());
  overwrite_contents(path, "before");
  const Error error = error_of([&] {
    const FullDisk disk(100);
    write_images(path, one_image(), {.overwrite = true});
  });
  EXPECT_EQ(error.error_class(), ErrorClass::resource) << error.what();
  EXPECT_NE(std::string(error.what()).find("cannot write"), std::string::npos) << error.what();
  EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  EXPECT_EQ(contents(path), "before");
  EXPECT_EQ(folder.files(), 1U);
}

TEST_P(EveryFormat, MissingFolderIsSaid) {
  const TemporaryFolder folder;
  const Error error = error_of([&] { write_images(folder / ("no/image" + GetParam()), one_image()); });
  EXPECT_EQ(error.error_class(), ErrorClass::resource) << error.what();
}

TEST_P(EveryFormat, WrittenFilesAreReadBack) {
  const TemporaryFolder folder;
  const std::string path = folder / ("image" + GetParam());
  const ImageSeries series = one_image();
  const WrittenFiles written = write_images(path, series);
  EXPECT_EQ(written.files, std::vector<std::string>{path});
  EXPECT_TRUE(written.warnings.empty());
  EXPECT_EQ(error_of([&] { write_images(path, series); }).error_class(), ErrorClass::usage);
  if (GetParam() == ".png" || GetParam() == ".dcm") return;
  const auto back = read_array(path);
  ASSERT_EQ(back.shape(), (Shape{40, 50}));
  for (Index i = 0; i < back.size(); ++i) EXPECT_NEAR(std::abs(back[i]), static_cast<float>(i + 1), 1e-3);
}

TEST_P(EveryFormat, SameContentIsTheSameFileAtAnyTime) {
  const TemporaryFolder folder;
  write_images(folder / ("a" + GetParam()), one_image());
  // HDF5 and gzip store times in seconds.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  write_images(folder / ("b" + GetParam()), one_image());
  EXPECT_EQ(contents(folder / ("a" + GetParam())), contents(folder / ("b" + GetParam())));
}

TEST_P(EveryFormat, FilesAreAboutAsLargeAsTheirContent) {
  const TemporaryFolder folder;
  write_images(folder / ("a" + GetParam()), one_image());
  EXPECT_LT(std::filesystem::file_size(folder / ("a" + GetParam())), 40U * 50 * 8 + 12000);
}

// DICOM, if this build includes it.
std::vector<std::string> formats() {
  std::vector<std::string> all{".nii", ".nii.gz", ".h5", ".png", ".npy", ".cfl"};
  if (!find_beside_library("liblarmor-dicom.so").empty()) all.emplace_back(".dcm");
  return all;
}

INSTANTIATE_TEST_SUITE_P(Extension, EveryFormat, testing::ValuesIn(formats()),
                         [](const auto& each) { return "of" + std::to_string(each.index); });

}  // namespace
}  // namespace larmor::test
