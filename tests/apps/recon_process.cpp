#include "apps/recon_process.hpp"
#include "random_arrays.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <larmor/io/formats.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace larmor::test {
namespace {

void redirect(const std::string& path, int descriptor) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(127);
  close(file);
}

}  // namespace

ReconProcess::ReconProcess(const Words& arguments, const Conditions& conditions) {
  // The command of another version, to see which of its faults a test finds.
  const char* other = std::getenv("LARMOR_TEST_RECON");
  std::string program = !conditions.program.empty() ? conditions.program
                        : other != nullptr          ? other
                                                    : LARMOR_RECON;
  Words words = conditions.launcher;
  words.emplace_back(words.empty() ? "recon" : program);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  stdout_file_ = conditions.stdout_to.empty() ? captured_ / "out" : conditions.stdout_to;

  process_ = fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ == 0) {
    redirect("/dev/null", STDIN_FILENO);
    redirect(stdout_file_, STDOUT_FILENO);
    redirect(captured_ / "err", STDERR_FILENO);
    if (!conditions.folder.empty() && chdir(conditions.folder.c_str()) != 0) _exit(127);
    if (conditions.file_size_limit > 0) {
      const rlimit limit{conditions.file_size_limit, conditions.file_size_limit};
      if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(127);
    }
    if (conditions.hide_gpus) setenv("CUDA_VISIBLE_DEVICES", "", 1);
    if (!conditions.launcher.empty()) execvp(argv.front(), argv.data());
    execv(program.c_str(), argv.data());
    _exit(127);
  }
}

ReconProcess::~ReconProcess() {
  if (!done_) {
    kill(process_, SIGKILL);
    waitpid(process_, &raw_status_, 0);
  }
}

void ReconProcess::send(int signal) {
  kill(process_, signal);
}

bool ReconProcess::running() {
  if (!done_ && waitpid(process_, &raw_status_, WNOHANG) == process_) done_ = true;
  return !done_;
}

std::string ReconProcess::err_so_far() const {
  return read_file(captured_ / "err");
}

Outcome ReconProcess::wait() {
  rusage used{};
  if (!done_) wait4(process_, &raw_status_, 0, &used);
  done_ = true;
  Outcome outcome;
  outcome.peak_bytes = static_cast<std::size_t>(used.ru_maxrss) * 1024;
  outcome.status = WIFEXITED(raw_status_) ? WEXITSTATUS(raw_status_) : 128 + WTERMSIG(raw_status_);
  if (std::filesystem::is_regular_file(stdout_file_)) outcome.out = read_file(stdout_file_);
  outcome.err = read_file(captured_ / "err");
  return outcome;
}

Outcome recon(const Words& arguments, const Conditions& conditions) {
  return ReconProcess(arguments, conditions).wait();
}

Outcome succeed(const Words& arguments, const Conditions& conditions) {
  const Outcome outcome = recon(arguments, conditions);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome;
}

void expect_refused(const Outcome& outcome, int status, const std::string& part) {
  EXPECT_EQ(outcome.status, status) << outcome.err;
  EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << "expected '" << part << "' in: " << outcome.err;
}

Words joined(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string text;
    std::getline(stat, text);  // empty if the process ends meanwhile
    std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    char state = 'Z';
    pid_t its_parent = -1;
    fields >> state >> its_parent;
    if (its_parent == parent && state != 'Z') children.push_back(std::stoi(name));
  }
  std::sort(children.begin(), children.end());
  return children;
}

void leave_no_memory(pid_t process) {
  std::ifstream pages("/proc/" + std::to_string(process) + "/statm");
  rlim_t in_use = 0;
  pages >> in_use;
  const rlim_t bytes = in_use * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  const rlimit limit{bytes, bytes};
  ASSERT_EQ(::prlimit(process, RLIMIT_AS, &limit, nullptr), 0);
}

double difference(const std::string& a, const std::string& b) {
  const auto x = read_array(a), y = read_array(b);
  if (!(x.shape() == y.shape())) return 1;
  return relative_difference(x, y);
}

Words names_in(const std::filesystem::path& folder) {
  Words names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream stream(path, std::ios::binary);
  stream << bytes;
}

int line_count(const std::string& text) {
  const auto ends = static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  return text.empty() || text.back() == '\n' ? ends : ends + 1;
}

}  // namespace larmor::test
