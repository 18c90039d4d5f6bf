#include "error_of.hpp"
#include "listener.hpp"
#include "temporary_folder.hpp"

#include <larmor/core/error.hpp>
#include <larmor/io/wisdom_file.hpp>

#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace larmor::test {
namespace {

class WisdomFiles : public testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "some/where/wisdom.json";
  Listener warnings_;
  const WisdomEntry entry_{{{"oversampling", 1.375}, {"width", 5}}, {{"method", "matrix"}}};
};

TEST_F(WisdomFiles, KeepWhatIsStored) {
  WisdomFile wisdom(path_, warnings_);
  EXPECT_FALSE(wisdom.find("a").has_value());
  wisdom.store("a", entry_);
  wisdom.store("b \"quoted\"", {{{"x", 0.1}}, {}});
  WisdomFile again(path_, warnings_);
  EXPECT_EQ(again.find("a"), entry_);
  EXPECT_EQ(again.find("b \"quoted\"")->numbers.at("x"), 0.1);
  EXPECT_EQ(again.entries().size(), 2U);
  EXPECT_EQ(again.clear(), 2U);
  EXPECT_TRUE(wisdom.entries().empty());
  EXPECT_THAT(warnings_.lines, testing::IsEmpty());
}

TEST_F(WisdomFiles, AreNotTrustedWhenTheyAreNotWhatTheyShouldBe) {
  WisdomFile(path_, warnings_).store("a", entry_);
  std::ifstream file(path_);
  const std::string good{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::string old = good, newer = good, broken = good, changed = good;
  old.replace(old.find("\"version\":2"), 11, "\"version\":1");
  newer.replace(newer.find("\"version\":2"), 11, "\"version\":3");
  broken.resize(good.size() / 2);
  changed.replace(changed.find("1.375"), 5, "1.875");
  const std::string deep = R"({"format":"larmor wisdom","version":)" + std::string(1000000, '[');
  struct Case {
    std::string text, reason;
    bool ours;  // only then is it replaced
  };
  const std::vector<Case> cases = {
      {"", "not JSON", false},
      {std::string("\0\xff\x01", 3), "not JSON", false},
      {"[1, 2]", "no wisdom of Larmor", false},
      {R"({"format": "other wisdom", "version": 2, "entries": {}})", "no wisdom of Larmor", false},
      {R"({"format": 7})", "no wisdom of Larmor", false},
      {std::string(1000000, '['), "nested too deeply", false},
      {broken, "not JSON", true},
      {deep, "nested too deeply", true},
      {changed, "its checksum says that it has been changed", true},
      {R"({"format":"larmor wisdom","version":2,"entries":{}})", "checksum", true},
      {R"({"format":"larmor wisdom","version":2,"checksum":"00000000"})", "no entries", true},
      {R"({"format":"larmor wisdom","version":2,"checksum":"00000000","entries":{"a":3}})", "not an object",
       true},
      {R"({"format":"larmor wisdom","version":2,"checksum":"00000000","entries":{"a":{"b":true}}})",
       "other than numbers", true},
      {R"({"format":"larmor wisdom","version":"2","entries":{}})", "version \"2\"; expected 2", true},
      {old, "version 1; expected 2", true},
      {newer, "version 3; expected 2", true}};
  for (const auto& [text, reason, ours] : cases) {
    SCOPED_TRACE(text.substr(0, 200));
    warnings_.lines.clear();
    write(text);
    WisdomFile wisdom(path_, warnings_);
    EXPECT_THAT(wisdom.defect(), testing::HasSubstr(reason));
    EXPECT_FALSE(wisdom.find("a").has_value());
    EXPECT_FALSE(wisdom.find("a").has_value());
    ASSERT_EQ(warnings_.lines.size(), 1U);
    EXPECT_THAT(warnings_.lines[0], testing::HasSubstr(reason));
    EXPECT_EQ(warnings_.lines[0].find('\n'), std::string::npos);
    Listener none;
    if (ours) {
      wisdom.store("c", entry_);
      EXPECT_EQ(WisdomFile(path_, none).entries().size(), 1U);
      EXPECT_THAT(none.lines, testing::IsEmpty());
    } else {
      EXPECT_THROW(wisdom.store("c", entry_), Error);
      std::ifstream left(path_, std::ios::binary);
      EXPECT_EQ(std::string(std::istreambuf_iterator<char>(left), {}), text);
    }
  }
}

TEST_F(WisdomFiles, HaveAnEndToTheirSize) {
  WisdomFile wisdom(path_, warnings_);
  WisdomEntry large;
  large.words["text"] = std::string(17 << 20, 'x');
  EXPECT_THROW(wisdom.store("a", large), Error);
  EXPECT_FALSE(std::filesystem::exists(path_));
  write(std::string(17 << 20, ' '));
  EXPECT_THAT(wisdom.defect(), testing::HasSubstr("larger than"));
}

TEST_F(WisdomFiles, LoseNothingWhenProcessesWriteAtOnce) {
  constexpr int processes = 4, each = 25;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int status = 1;
      try {
        WisdomFile wisdom(path_, warnings_);
        for (int i = 0; i < each; ++i)
          wisdom.store("process " + std::to_string(p) + " entry " + std::to_string(i), entry_);
        status = warnings_.lines.empty() ? 0 : 2;
      } catch (const std::exception&) {
      }
      _exit(status);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(WisdomFile(path_, warnings_).entries().size(), static_cast<std::size_t>(processes * each));
}

TEST_F(WisdomFiles, SayWhenTheyCannotBeWritten) {
  std::ofstream(folder_ / "file") << "x";
  WisdomFile wisdom(folder_ / "file/wisdom.json", warnings_);
  EXPECT_EQ(error_of([&] { wisdom.store("a", entry_); }).substr(0, 3), "4: ");
  EXPECT_THROW(WisdomFile("", warnings_), Error);
}

}  // namespace
}  // namespace larmor::test
