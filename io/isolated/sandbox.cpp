#include <larmor/core/format_error.hpp>
#include <larmor/io/isolated/sandbox.hpp>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <vector>

namespace larmor::isolated {
namespace {

constexpr std::size_t mega = std::size_t{1} << 20;

void set_limit(__rlimit_resource which, rlim_t value) {
  rlimit limit{};
  if (::getrlimit(which, &limit) != 0) throw resource_error("no resource limits: {}", std::strerror(errno));
  value = std::min(value, limit.rlim_max);
  limit = {value, value};
  if (::setrlimit(which, &limit) != 0) throw resource_error("no resource limits: {}", std::strerror(errno));
}

std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Files opened before stay open; all rules apply, without exceptions.
bool forbid_files() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return false;
  // Rights by version of Landlock: 13 in the first, then moving, truncating, and commands to devices.
  constexpr unsigned rights[] = {13, 14, 15, 15, 16};
  landlock_ruleset_attr rules{};
  rules.handled_access_fs = (std::uint64_t{1} << rights[std::min(version, 5L) - 1]) - 1;
  const long set = ::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules.handled_access_fs, 0);
  if (set < 0) return false;
  const bool done = ::syscall(SYS_landlock_restrict_self, set, 0) == 0;
  ::close(static_cast<int>(set));
  return done;
}

constexpr std::uint16_t load = BPF_LD | BPF_W | BPF_ABS, jump_if_equal = BPF_JMP | BPF_JEQ | BPF_K,
                        jump_if_any_bit = BPF_JMP | BPF_JSET | BPF_K, answer = BPF_RET | BPF_K;

// System calls by number: the listed ones are allowed, all others fail with EPERM.
class CallFilter {
 public:
  explicit CallFilter(std::uint32_t architecture) {
    add({load, 0, 0, offsetof(seccomp_data, arch)});
    add({jump_if_equal, 1, 0, architecture});
    add({answer, 0, 0, SECCOMP_RET_KILL_PROCESS});
    add({load, 0, 0, offsetof(seccomp_data, nr)});
  }
  void allow(long call) {
    add({jump_if_equal, 0, 1, static_cast<std::uint32_t>(call)});
    add({answer, 0, 0, SECCOMP_RET_ALLOW});
  }
  // Memory that is not executable.
  void allow_without_bit(long call, int argument, std::uint32_t bit) {
    add({jump_if_equal, 0, 4, static_cast<std::uint32_t>(call)});
    add({load, 0, 0,
         static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * static_cast<unsigned>(argument))});
    add({jump_if_any_bit, 0, 1, bit});
    add({answer, 0, 0, SECCOMP_RET_ERRNO | EPERM});
    add({answer, 0, 0, SECCOMP_RET_ALLOW});
  }
  bool install() {
    add({answer, 0, 0, SECCOMP_RET_ERRNO | EPERM});
    const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
  }

 private:
  void add(const sock_filter& instruction) { code_.push_back(instruction); }

  std::vector<sock_filter> code_;
};

bool filter_calls() {
  utsname machine{};
  if (::uname(&machine) != 0) return false;
  const std::string name = machine.machine;
  const std::uint32_t architecture = name == "x86_64"    ? AUDIT_ARCH_X86_64
                                     : name == "aarch64" ? AUDIT_ARCH_AARCH64
                                                         : 0;
  if (architecture == 0 || sizeof(void*) != 8) return false;
  CallFilter filter(architecture);
  filter.allow_without_bit(SYS_mmap, 2, PROT_EXEC);
  filter.allow_without_bit(SYS_mprotect, 2, PROT_EXEC);
  for (const long call : {SYS_sendto, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise, SYS_close, SYS_futex,
                          SYS_exit, SYS_exit_group, SYS_rt_sigreturn, SYS_clock_gettime, SYS_gettimeofday,
                          SYS_getrandom, SYS_sched_yield, SYS_getpid, SYS_gettid})
    filter.allow(call);
  if (sanitized())
    for (const long call :
         {SYS_read, SYS_write, SYS_sigaltstack, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_tgkill})
      filter.allow(call);
  return filter.install();
}

}  // namespace

bool sanitized() {
  return LARMOR_SANITIZED;
}

Limits limits_for(std::size_t file_bytes) {
  const auto seconds = [&](unsigned least, std::size_t bytes_a_second) {
    return (sanitized() ? 5 : 1) * (least + static_cast<unsigned>(file_bytes / bytes_a_second));
  };
  return {4 * file_bytes + 160 * mega, 16 * file_bytes + 64 * mega, seconds(2, 16 * mega), seconds(30, mega)};
}

bool memory_is_scarce(const Limits& limits) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         limit.rlim_cur < address_space() + limits.memory_bytes;
}

std::uint32_t close_sandbox(const Limits& limits) {
  // No core file, and no inspection except by the administrator.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_NOFILE, 16);
  set_limit(RLIMIT_CPU, limits.processor_seconds);
  // Sanitizers write reports.
  if (!sanitized()) set_limit(RLIMIT_FSIZE, 0);
  if (!sanitized()) set_limit(RLIMIT_AS, address_space() + limits.memory_bytes);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    throw resource_error("the kernel does not allow dropping privileges: {}", std::strerror(errno));
  std::uint32_t lacking = 0;
  if (!forbid_files()) lacking |= no_file_rules;
  if (!filter_calls()) lacking |= no_system_call_filter;
  return lacking;
}

std::string describe_lacking(std::uint32_t lacking) {
  const bool seccomp = (lacking & no_system_call_filter) != 0, landlock = (lacking & no_file_rules) != 0;
  return std::string(seccomp ? "seccomp" : "") + (seccomp && landlock ? " and " : "") +
         (landlock ? "Landlock" : "");
}

}  // namespace larmor::isolated
