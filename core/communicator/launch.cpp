#include <larmor/core/communicator/launch.hpp>
#include <larmor/core/format_error.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>

namespace larmor {
namespace {

using namespace std::chrono_literals;

constexpr const char* variable = "LARMOR_RANK";  // "rank:descriptor:process that started it"
constexpr auto look_every = 20ms;

double seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

// This program once more, as one of the ranks of a segment.
pid_t start_rank(int rank, const RankSegment& segment, std::vector<std::string> words) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with(std::string(variable) + "=")) environment.emplace_back(*entry);
  environment.push_back(
      fmt::format("{}={}:{}:{}", variable, rank, segment.descriptor(), static_cast<long>(::getpid())));
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  };
  // posix_spawn waits for the new program, for ever where the process is stopped before it has begun.
  const std::vector<char*> arguments = pointers(words), entries = pointers(environment);
  const pid_t process = ::fork();
  if (process == 0) {
    ::execve("/proc/self/exe", arguments.data(), entries.data());
    ::_exit(static_cast<int>(ErrorClass::resource));
  }
  if (process < 0) throw resource_error("rank {} cannot be started: {}", rank, std::strerror(errno));
  return process;
}

std::string ended_by(int signal) {
  return fmt::format("its process was ended by signal {} ({})", signal, ::strsignal(signal));
}
constexpr const char* did_not_go_on = "its process was stopped and did not go on";

// Whether a process is stopped: the third word of /proc/PID/stat, behind its name in brackets.
bool is_stopped(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t end = text.rfind(") ");
  return end != std::string::npos && text.compare(end + 2, 1, "T") == 0;
}

class Ranks {
 public:
  Ranks(int count, const std::vector<std::string>& words, const LeadOptions& options)
      : segment_(RankSegment::create(count)), options_(options) {
    for (int rank = 0; rank < count; ++rank) {
      try {
        processes_.push_back({start_rank(rank, *segment_, words)});
      } catch (...) {
        end_all();
        throw;
      }
    }
  }

  void wait(const std::atomic<bool>& stop) {
    bool asked = false;
    while (left() > 0) {
      for (std::size_t rank = 0; rank < processes_.size(); ++rank) look_at(static_cast<int>(rank));
      if (stop && !asked) fail_by(static_cast<int>(ErrorClass::cancelled), "interrupted");
      if (!asked && (failure_at_ = failure()).rank >= 0) {
        asked = true;
        for (const Process& process : processes_)
          if (process.running) ::kill(process.id, SIGTERM);
        deadline_ = looks_ + static_cast<long>(options_.grace_seconds / seconds(look_every));
      }
      if (asked && looks_ > deadline_) return end_all();
      std::this_thread::sleep_for(look_every);
      ++looks_;
    }
  }

  /// What the first rank that failed had to say, if one did.
  void report() const {
    if (failure_at_.rank < 0) return;
    // What all ranks have to say is said by the first.
    const bool names = failure_at_.rank < segment_->ranks() &&
                       (failure_at_.rank > 0 || failure_at_.status == static_cast<int>(rank_lost));
    throw Error(static_cast<ErrorClass>(failure_at_.status),
                (names ? fmt::format("rank {}: ", failure_at_.rank) : "") + failure_at_.message);
  }

 private:
  struct Process {
    pid_t id;
    bool running = true;
    long stopped_looks = 0;
  };

  long left() const {
    return std::count_if(processes_.begin(), processes_.end(),
                         [](const Process& process) { return process.running; });
  }

  void fail_by(int status, const std::string& message, int rank = -1) {
    if (rank < 0) rank = segment_->ranks();
    if (seen_.rank < 0) seen_ = {rank, status, message};
    segment_->fail(rank, status, message);
  }

  // What the ranks know. One that ends while it tells them leaves half a word: then what was seen from here.
  RankSegment::Failure failure() const {
    RankSegment::Failure told = segment_->failure();
    return told.rank < 0 ? seen_ : told;
  }

  // How a rank is: ended, stopped, or at work. Time counts only while this process runs, so that a job that
  // the terminal stops as a whole goes on when it is continued.
  void look_at(int rank) {
    Process& process = processes_[static_cast<std::size_t>(rank)];
    if (!process.running) return;
    constexpr int lost = static_cast<int>(rank_lost);
    int status = 0;
    while (::waitpid(process.id, &status, WNOHANG | WUNTRACED | WCONTINUED) == process.id) {
      if (WIFSTOPPED(status)) process.stopped_looks = 1;
      if (WIFCONTINUED(status)) process.stopped_looks = 0;
      if (!WIFEXITED(status) && !WIFSIGNALED(status)) continue;
      process.running = false;
      if (WIFSIGNALED(status))
        fail_by(lost, ended_by(WTERMSIG(status)), rank);
      else if (WEXITSTATUS(status) != 0)
        fail_by(WEXITSTATUS(status), fmt::format("its process ended with status {}", WEXITSTATUS(status)),
                rank);
      return;
    }
    if (process.stopped_looks == 0) return;
    if (static_cast<double>(++process.stopped_looks) * seconds(look_every) > options_.most_stopped_seconds)
      fail_by(lost, did_not_go_on, rank);
  }

  void end_all() {
    for (Process& process : processes_) {
      if (!process.running) continue;
      ::kill(process.id, SIGKILL);
      while (::waitpid(process.id, nullptr, 0) < 0 && errno == EINTR) continue;
      process.running = false;
    }
  }

  std::shared_ptr<RankSegment> segment_;
  LeadOptions options_;
  std::vector<Process> processes_;
  RankSegment::Failure failure_at_, seen_;
  long looks_ = 0, deadline_ = 0;
};

}  // namespace

std::optional<RankIdentity> identity_of_rank() {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  int rank = -1, descriptor = -1;
  long parent = -1;
  if (std::sscanf(text, "%d:%d:%ld", &rank, &descriptor, &parent) != 3)
    throw internal_error("{}={} is not what the process that starts ranks writes", variable, text);
  ::unsetenv(variable);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != static_cast<pid_t>(parent)) ::_exit(static_cast<int>(rank_lost));
  return RankIdentity{rank, RankSegment::inherited(descriptor)};
}

void lead_ranks(int ranks, const std::vector<std::string>& words, const std::atomic<bool>& stop,
                const LeadOptions& options) {
  Ranks all(ranks, words, options);
  all.wait(stop);
  all.report();
}

int guard_rank(const std::string& name, const std::vector<std::string>& words, const std::atomic<bool>& stop,
               const LeadOptions& options) {
  const auto segment = RankSegment::create(1);
  const pid_t rank = start_rank(0, *segment, words);
  const auto lost = [&](const std::string& how) { return Error(rank_lost, name + ": " + how); };
  const Error interrupted(ErrorClass::cancelled, "interrupted");
  double stopped = 0, asked = 0;
  for (bool is_stopped = false;; std::this_thread::sleep_for(look_every)) {
    int status = 0;
    while (::waitpid(rank, &status, WNOHANG | WUNTRACED | WCONTINUED) == rank) {
      if (WIFEXITED(status)) return WEXITSTATUS(status);
      if (WIFSIGNALED(status)) throw stop ? interrupted : lost(ended_by(WTERMSIG(status)));
      is_stopped = WIFSTOPPED(status);
    }
    stopped = is_stopped ? stopped + seconds(look_every) : 0;
    if (stop && asked == 0) ::kill(rank, SIGTERM);
    if (stop) asked += seconds(look_every);
    if (stopped <= options.most_stopped_seconds && asked <= options.grace_seconds) continue;
    ::kill(rank, SIGKILL);
    while (::waitpid(rank, &status, 0) < 0 && errno == EINTR) continue;
    throw stop ? interrupted : lost(did_not_go_on);
  }
}

void wake_guard() {
  ::kill(::getppid(), SIGCONT);
}

void watch_guard(std::function<void(const std::string&)> then, const LeadOptions& options) {
  std::thread([then = std::move(then), most = options.most_stopped_seconds, guard = ::getppid()] {
    for (double stopped = 0; stopped <= most; std::this_thread::sleep_for(look_every)) {
      if (::getppid() != guard) return then("the process that looks after it was killed");
      stopped = is_stopped(guard) ? stopped + seconds(look_every) : 0;
    }
    then(did_not_go_on);
  }).detach();
}

// The signal wakes a rank that is stopped: it would stay for ever.
void outlive_guard() {
  ::prctl(PR_SET_PDEATHSIG, SIGCONT);
}

std::string name_by_launcher() {
  for (const char* name : {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* text = std::getenv(name)) return fmt::format("rank {}", text);
  return {};
}

std::string launcher_of_this_process() {
  const auto several = [](const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr && std::atoi(text) > 1;
  };
  if (several("OMPI_COMM_WORLD_SIZE")) return "mpirun";
  if (several("PMI_SIZE")) return "mpiexec";
  // SLURM_NTASKS alone is there in a batch script too, which is one process.
  if (several("SLURM_STEP_NUM_TASKS")) return "srun";
  // As torchrun does; others leave some of it out.
  const char* const all[] = {"RANK", "MASTER_ADDR", "MASTER_PORT"};
  const bool told = std::all_of(std::begin(all), std::end(all),
                                [](const char* name) { return std::getenv(name) != nullptr; });
  return told && several("WORLD_SIZE") ? "who set WORLD_SIZE" : "";
}

std::string missing_of_environment() {
  const char* const size = std::getenv("WORLD_SIZE");
  if (std::getenv("RANK") == nullptr || size == nullptr || std::atoi(size) < 2) return {};
  std::string missing;
  for (const char* name : {"MASTER_ADDR", "MASTER_PORT"})
    if (std::getenv(name) == nullptr) missing += std::string(missing.empty() ? "" : " and ") + name;
  return missing;
}

}  // namespace larmor
