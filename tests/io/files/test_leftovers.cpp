#include "error_of.hpp"
#include "io/hostile_files.hpp"
#include "io/temporary_folder.hpp"

#include <larmor/io/files/atomic_file.hpp>
#include <larmor/io/files/leftovers.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace larmor::test {
namespace {

using hostile::contents;
using hostile::overwrite_contents;

// Runs an action in a separate process that is killed at the end.
template <typename Action>
void killed_after(Action&& action) {
  const pid_t child = fork();
  if (child == 0) {
    action();
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

void write_in(const TemporaryFolder& folder, const std::string& name) {
  AtomicFile file(folder / name, true);
  file.commit();
}

TEST(Leftovers, OfKilledProcessesGoWithTheNextOutput) {
  const TemporaryFolder folder;
  overwrite_contents(folder / ".mine.part", "not one of these");
  killed_after([&] {
    auto* file = new AtomicFile(folder / "big.bin");
    file->write("half", 4);
  });
  EXPECT_EQ(folder.files(), 2U);
  // A running process keeps its own files.
  AtomicFile under_way(folder / "other.bin");
  write_in(folder, "new.bin");
  EXPECT_EQ(folder.files(), 3U);
  EXPECT_EQ(contents(folder / ".mine.part"), "not one of these");
  under_way.commit();
  EXPECT_EQ(folder.files(), 3U);
}

TEST(Leftovers, OfOtherMachinesStay) {
  const TemporaryFolder folder;
  const std::string name = folder / ".big.bin.01234567-89abcdef-01234567.part";
  overwrite_contents(name, "another machine is at work on this");
  write_in(folder, "new.bin");
  EXPECT_TRUE(std::filesystem::exists(name));
}

// Three files that belong together.
void write_set(const TemporaryFolder& folder, const std::string& text, bool overwrite) {
  AtomicFile data(folder / "y.cfl", overwrite);
  data.write(text.data(), text.size());
  data.commit({{folder / "y.hdr", text}, {folder / "y.json", text}});
}

std::string contents_of_set(const TemporaryFolder& folder) {
  return contents(folder / "y.cfl") + contents(folder / "y.hdr") + contents(folder / "y.json");
}

// A user's folder may contain files with names like ours: no other files may be removed because of them.
TEST(Leftovers, DecideOverNoOtherFile) {
  const TemporaryFolder folder;
  overwrite_contents(folder / "scan.h5", "scan");
  std::string list;
  killed_after([&] {
    auto* file = new AtomicFile(folder / "x");
    file->write("evil", 4);
    const std::string name = std::filesystem::path(file->temporary_path()).filename();
    list = name.substr(0, name.size() - 5) + ".set";
    const std::string text = std::string("replace") + '\0' + name + '\0' + "scan.h5" + '\0';
    overwrite_contents(folder / list, text);
  });
  write_in(folder, "next.bin");
  EXPECT_EQ(contents(folder / "scan.h5"), "scan");
  EXPECT_EQ(folder.files(), 3U)
      << "the scan, the output and what looks like a list; the temporary file is gone";
}

// The first file of a set decides: if a new one is there, all others are too, and a replaced one is never
// left beside files of the old set.
TEST(AtomicFile, KilledSetsAreNeverMixed) {
  for (int trial = 0; trial < 200; ++trial) {
    const TemporaryFolder folder;
    const bool replace = trial % 2 == 1;
    if (replace) write_set(folder, "old", false);
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      (void)!write(ready[1], "x", 1);
      write_set(folder, "new", replace);
      pause();
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    usleep(static_cast<useconds_t>(trial) * 10);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
    write_in(folder, "next.bin");
    const bool there = std::filesystem::exists(folder / "y.cfl");
    const std::string main = there ? contents(folder / "y.cfl") : "new";
    EXPECT_TRUE(main == "new" || (replace && main == "old"));
    std::size_t files = there ? 2 : 1;
    for (const std::string name : {"y.hdr", "y.json"}) {
      if (!std::filesystem::exists(folder / name)) continue;
      ++files;
      EXPECT_EQ(contents(folder / name), main);
    }
    EXPECT_TRUE(replace || !there || files == 4);
    EXPECT_EQ(folder.files(), files);
  }
}

TEST(AtomicFile, SetsAppearTogetherOrNotAtAll) {
  const TemporaryFolder folder;
  write_set(folder, "first", false);
  EXPECT_EQ(error_of([&] { write_set(folder, "second", false); }).substr(0, 2), "2:");
  write_set(folder, "third", true);
  EXPECT_EQ(contents_of_set(folder), "thirdthirdthird");
  EXPECT_EQ(folder.files(), 3U);

  const TemporaryFolder other;
  overwrite_contents(other / "y.json", "theirs");
  EXPECT_EQ(error_of([&] { write_set(other, "ours", false); }).substr(0, 2), "2:");
  EXPECT_EQ(contents(other / "y.json"), "theirs");
  EXPECT_EQ(other.files(), 1U);

  std::filesystem::remove(folder / "y.json");
  std::filesystem::create_symlink(other / "y.json", folder / "y.json");
  EXPECT_EQ(error_of([&] { write_set(folder, "elsewhere", true); }).substr(0, 2), "2:");
  EXPECT_EQ(contents(folder / "y.cfl") + contents(other / "y.json"), "thirdtheirs");
}

TEST(AtomicFile, SetsOfTwoProcessesDoNotMix) {
  const TemporaryFolder folder;
  std::vector<pid_t> children;
  for (const std::string text : {"first", "second", "third"}) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < 50; ++i) write_set(folder, text, true);
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const std::string text = contents(folder / "y.cfl");
  EXPECT_EQ(contents_of_set(folder), text + text + text);
  EXPECT_EQ(folder.files(), 3U);
}

}  // namespace
}  // namespace larmor::test
