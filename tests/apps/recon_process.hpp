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

/// Result of a process that has ended.
struct Outcome {
  int status = -1;  ///< exit status; 128 + signal if a signal ended it
  std::string out, err;
  /// Largest resident memory of the process, of a process that it waited for, or of this one, of which it
  /// started as a copy; 0: it ended before wait().
  std::size_t peak_bytes = 0;
};

/// Conditions under which a process is started.
struct Conditions {
  std::filesystem::path folder;     ///< working directory
  std::size_t file_size_limit = 0;  ///< limit of the size of a file that it writes; 0: no limit
  std::string stdout_to;            ///< a file for stdout, such as /dev/full; empty: captured
  bool hide_gpus = false;           ///< the process sees no GPU, even if the machine has one
  Words launcher{};                 ///< and its arguments, followed by the command; empty: started directly
  std::string program{};            ///< program to start; empty: recon
};

/// A running recon command of this build.
class ReconProcess {
 public:
  ReconProcess(const Words& arguments, const Conditions& conditions = {});
  ReconProcess(const ReconProcess&) = delete;
  ReconProcess& operator=(const ReconProcess&) = delete;
  ~ReconProcess();

  void send(int signal);
  pid_t id() const { return process_; }
  bool running();
  /// Its output on stderr so far.
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
/// Runs a command that must succeed.
Outcome succeed(const Words& arguments, const Conditions& conditions = {});
/// Expects that a command ended with this status and printed one line, which contains `part`.
void expect_refused(const Outcome& outcome, int status, const std::string& part);
/// Both lists in one.
Words joined(Words first, const Words& second);

/// Tests that share one folder, whose common files Suite::make_files() has written.
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

/// Processes started by `parent` that are still running; zombies are left out.
std::vector<pid_t> children_of(pid_t parent);

/// From now on the process can allocate no further memory.
void leave_no_memory(pid_t process);
inline constexpr bool memory_can_be_limited = !with_address_sanitizer && !with_thread_sanitizer;

/// Relative difference of two arrays in files; 1 if their shapes differ.
double difference(const std::string& a, const std::string& b);

/// Names of all files in a folder, hidden ones included, sorted.
Words names_in(const std::filesystem::path& folder);
std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& bytes);
/// Number of lines; a last line without newline counts.
int line_count(const std::string& text);

}  // namespace larmor::test
