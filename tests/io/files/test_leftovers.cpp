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

// Does something in a process of its own that is killed at the end.
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
  // A running process keeps its own.
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

// What is left of a set whose process was killed when it had been decided on, and `moved` of its files were
// in place.
void killed_in_a_set(const TemporaryFolder& folder, bool replace, int moved) {
  killed_after([&] {
    FileSet set{replace, {}};
    for (const std::string name : {"y.cfl", "y.hdr", "y.json"}) {
      auto* file = new AtomicFile(folder / name, replace);
      file->write("new", 3);
      const std::string temporary = std::filesystem::path(file->temporary_path()).filename();
      if (static_cast<int>(set.members.size()) < moved)
        put_in_place(file->temporary_path(), folder / name, replace);
      set.members.push_back({temporary, name});
    }
    auto* list = new AtomicFile(folder / "y.cfl", true);
    const std::string text = text_of(set);
    list->write(text.data(), text.size());
    std::filesystem::rename(list->temporary_path(), decided_name(list->temporary_path()));
  });
}

TEST(Leftovers, SetsThatWereDecidedOnAreFinished) {
  for (const bool replace : {false, true})
    for (const int moved : {0, 1, 2, 3}) {
      SCOPED_TRACE(testing::Message() << replace << moved);
      const TemporaryFolder folder;
      if (replace) write_set(folder, "old", false);
      killed_in_a_set(folder, replace, moved);
      write_in(folder, "next.bin");
      EXPECT_EQ(contents_of_set(folder), "newnewnew");
      EXPECT_EQ(folder.files(), 4U);
    }
}

TEST(Leftovers, SetsDoNotReplaceWhatSomebodyElseMade) {
  const TemporaryFolder folder;
  killed_in_a_set(folder, false, 0);
  overwrite_contents(folder / "y.hdr", "theirs");
  write_in(folder, "next.bin");
  EXPECT_EQ(contents(folder / "y.hdr"), "theirs");
  EXPECT_EQ(folder.files(), 2U);
}

// A list of somebody who wants other files to move.
TEST(Leftovers, ListsNameFilesOfTheirFolderOnly) {
  const TemporaryFolder folder, other;
  overwrite_contents(folder / "secret", "secret");
  killed_after([&] {
    auto* list = new AtomicFile(folder / "y.cfl");
    const std::string text =
        text_of({true, {{"secret", "y.cfl"}, {"../secret", "x"}, {"secret", other / "x"}}});
    list->write(text.data(), text.size());
    std::filesystem::rename(list->temporary_path(), decided_name(list->temporary_path()));
  });
  write_in(folder, "next.bin");
  EXPECT_EQ(contents(folder / "secret"), "secret");
  EXPECT_EQ(folder.files(), 2U);
  EXPECT_EQ(other.files(), 0U);
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
