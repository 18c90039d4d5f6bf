#include <larmor/core/communicator/rank_segment.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/version.hpp>

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <thread>

namespace larmor {
namespace {

// Ranks that have a processor each meet within this many looks; others let each other run.
constexpr int looks = 2000, polite_looks = 50;
// After a wait of so long a rank looks whether another one has failed.
constexpr timespec nap{0, 20'000'000};

constexpr std::size_t longest_message = 4000;

static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &nap, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

struct RankSegment::Control {
  std::array<char, 32> version{};
  int ranks = 0;
  alignas(64) std::atomic<std::uint32_t> arrived{0};
  alignas(64) std::atomic<std::uint32_t> generation{0};
  // 0: nobody has failed; 1: one is writing why; 2: written.
  alignas(64) std::atomic<std::uint32_t> failed{0};
  int failed_rank = 0, failed_status = 0;
  std::array<char, longest_message + 1> message{};
};

namespace {

std::size_t rounded(std::size_t bytes) {
  return (bytes + 4095) / 4096 * 4096;
}

std::array<char, 32> this_version() {
  std::array<char, 32> text{};
  const std::string own = version();
  std::copy_n(own.begin(), std::min(own.size(), text.size() - 1), text.begin());
  return text;
}

}  // namespace

std::shared_ptr<RankSegment> RankSegment::create(int ranks) {
  if (ranks < 1 || ranks > most_ranks)
    throw usage_error("{} ranks, expected 1 to {}", ranks, most_ranks).about("ranks");
  const std::size_t bytes = rounded(sizeof(Control)) + static_cast<std::size_t>(ranks + 1) * chunk_bytes;
  const int descriptor = ::memfd_create("larmor-ranks", 0);
  if (descriptor < 0 || ::ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    const int error = errno;
    if (descriptor >= 0) ::close(descriptor);
    throw resource_error("no memory that {} ranks could share: {}", ranks, std::strerror(error));
  }
  std::shared_ptr<RankSegment> segment(new RankSegment(descriptor, bytes));
  new (segment->control_) Control;
  segment->control_->version = this_version();
  segment->control_->ranks = ranks;
  return segment;
}

std::shared_ptr<RankSegment> RankSegment::inherited(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || static_cast<std::size_t>(status.st_size) < sizeof(Control))
    throw internal_error("descriptor {} is not the memory that ranks share", descriptor);
  std::shared_ptr<RankSegment> segment(new RankSegment(descriptor, static_cast<std::size_t>(status.st_size)));
  const Control& control = *segment->control_;
  const std::size_t expected =
      rounded(sizeof(Control)) +
      static_cast<std::size_t>(std::clamp(control.ranks, 0, most_ranks) + 1) * chunk_bytes;
  if (control.version != this_version() || expected != segment->bytes_)
    throw internal_error("the ranks were started by another version of this program");
  ::close(descriptor);
  segment->descriptor_ = -1;
  return segment;
}

RankSegment::RankSegment(int descriptor, std::size_t bytes) : descriptor_(descriptor), bytes_(bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) {
    const int error = errno;
    ::close(descriptor);
    throw resource_error("no room for the memory that ranks share: {}", std::strerror(error));
  }
  control_ = static_cast<Control*>(memory);
}

RankSegment::~RankSegment() {
  ::munmap(control_, bytes_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

int RankSegment::ranks() const {
  return control_->ranks;
}

std::byte* RankSegment::chunk(int rank) const {
  return reinterpret_cast<std::byte*>(control_) + rounded(sizeof(Control)) +
         static_cast<std::size_t>(rank + 1) * chunk_bytes;
}

std::byte* RankSegment::result() const {
  return chunk(-1);
}

void RankSegment::throw_if_failed() const {
  if (control_->failed.load(std::memory_order_acquire) != 0) throw Error(rank_lost, "another rank has ended");
}

void RankSegment::barrier() {
  throw_if_failed();
  const std::uint32_t generation = control_->generation.load(std::memory_order_acquire);
  if (control_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 ==
      static_cast<std::uint32_t>(control_->ranks)) {
    control_->arrived.store(0, std::memory_order_relaxed);
    control_->generation.store(generation + 1, std::memory_order_release);
    wake_all(control_->generation);
    return;
  }
  const auto waiting = [&] { return control_->generation.load(std::memory_order_acquire) == generation; };
  const bool crowded = static_cast<int>(std::thread::hardware_concurrency()) < control_->ranks;
  for (int look = 0; look < (crowded ? polite_looks : looks) && waiting(); ++look)
    if (crowded) std::this_thread::yield();
  while (waiting()) {
    throw_if_failed();
    wait_while(control_->generation, generation);
  }
}

void RankSegment::fail(int rank, int status, const std::string& message) noexcept {
  std::uint32_t nobody = 0;
  if (!control_->failed.compare_exchange_strong(nobody, 1, std::memory_order_acq_rel)) return;
  control_->failed_rank = rank;
  control_->failed_status = status;
  const std::size_t length = std::min(message.size(), longest_message);
  std::copy_n(message.begin(), length, control_->message.begin());
  control_->message[length] = '\0';
  control_->failed.store(2, std::memory_order_release);
  wake_all(control_->generation);
}

RankSegment::Failure RankSegment::failure() const {
  if (control_->failed.load(std::memory_order_acquire) != 2) return {};
  return {control_->failed_rank, control_->failed_status, control_->message.data()};
}

}  // namespace larmor
