#pragma once

#include "io/temporary_folder.hpp"
#include "sanitizers.hpp"

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace larmor::test {

using Words = std::vector<std::string>;

/// What a finished process left behind.
struct Outcome {
  int status = -1;  ///< exit status; 128 + signal when a signal ended it
  std::string out, err;
  /// Resident, of it, of a process that it waited for, or of this one, as whose copy it began; 0: it ended
  /// before wait().
  std::size_t peak_bytes = 0;
};

/// How a process is started.
struct Conditions {
  std::filesystem::path folder;     ///< working directory
  std::size_t file_size_limit = 0;  ///< bytes that it may write to one file; 0: no limit
  std::string stdout_to;            ///< a file for stdout, such as /dev/full; empty: captured
  bool hide_gpus = false;           ///< the process sees no GPU, whatever the machine has
  Words launcher{};                 ///< and its words, which start the command; empty: nothing does
  std::string program{};            ///< which is started; empty: recon
};

/// The recon command that this tree has built, running.
class ReconProcess {
 public:
  ReconProcess(const Words& arguments, const Conditions& conditions = {});
  ReconProcess(const ReconProcess&) = delete;
  ReconProcess& operator=(const ReconProcess&) = delete;
  ~ReconProcess();

  void send(int signal);
  pid_t id() const { return process_; }
  bool running();
  /// What it has written to stderr so far.
  std::string err_so_far() const;
  Outcome wait();

 private:
  TemporaryFolder captured_;
  pid_t process_ = -1;
  int raw_status_ = 0;
  bool done_ = false;
  std::string stdout_file_;
};

Outcome recon(const Words& arguments, const Conditions& conditions = {});
/// The same of a command that must succeed.
Outcome succeed(const Words& arguments, const Conditions& conditions = {});
/// That a command ended with this status and one line, which says `part`.
void expect_refused(const Outcome& outcome, int status, const std::string& part);
/// One after the other.
Words joined(Words first, const Words& second);

/// Tests with one folder for all of them, in which Suite::make_files() has put what they share.
template <typename Suite>
class SharedFolder : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_.emplace();
    Suite::make_files();
  }
  static void TearDownTestSuite() { folder_.reset(); }
  static std::string at(const std::string& name) { return *folder_ / name; }

 private:
  static inline std::optional<TemporaryFolder> folder_;
};

/// Processes that were started by `parent` and are still there, but for those that nobody has waited for yet.
std::vector<pid_t> children_of(pid_t parent);

/// From now on the process gets no more memory than it has.
void leave_no_memory(pid_t process);
inline constexpr bool memory_can_be_limited = !with_address_sanitizer && !with_thread_sanitizer;

/// Relative, of two arrays in files; 1 where their shapes differ.
double difference(const std::string& a, const std::string& b);

/// Names of all files in a folder, hidden ones included, sorted.
Words names_in(const std::filesystem::path& folder);
std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& bytes);
/// Number of lines; a last one without newline counts.
int line_count(const std::string& text);

}  // namespace larmor::test
