#include <larmor/core/communicator/threads.hpp>
#include <larmor/core/format_error.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>

namespace larmor {
namespace {

// Meeting point of the threads, where they share their arrays.
class Meeting {
 public:
  explicit Meeting(int size) : shown_(static_cast<std::size_t>(size)) {}

  // Returns when all threads have called it, with the arrays of all.
  const std::vector<void*>& show(int rank, void* array) {
    std::unique_lock lock(mutex_);
    shown_[static_cast<std::size_t>(rank)] = array;
    meet(lock);
    return shown_;
  }
  // Returns when all have called it.
  void meet() {
    std::unique_lock lock(mutex_);
    meet(lock);
  }
  void end(int rank, const std::string& message) noexcept {
    const std::lock_guard lock(mutex_);
    if (ended_by_ >= 0) return;
    ended_by_ = rank;
    message_ = message;
    all_here_.notify_all();
  }

 private:
  void meet(std::unique_lock<std::mutex>& lock) {
    const Index round = round_;
    if (++waiting_ == shown_.size()) {
      waiting_ = 0;
      ++round_;
      all_here_.notify_all();
    }
    all_here_.wait(lock, [&] { return round_ != round || ended_by_ >= 0; });
    if (round_ == round) throw Error(rank_lost, fmt::format("rank {}: {}", ended_by_, message_));
  }

  std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<void*> shown_;
  std::size_t waiting_ = 0;
  Index round_ = 0;
  int ended_by_ = -1;
  std::string message_;
};

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(std::shared_ptr<Meeting> meeting, int rank, int size)
      : Communicator(rank, size), meeting_(std::move(meeting)) {}
  std::string name() const override { return "memory"; }
  void abort(int, const std::string& message) noexcept override { meeting_->end(rank(), message); }

 protected:
  void reduce_on_host(const Values& values) override {
    if (values.element == Element::single)
      reduce<float>(values);
    else
      reduce<double>(values);
  }
  void broadcast_on_host(void* bytes, std::size_t size, int root) override {
    const auto& shown = meeting_->show(rank(), bytes);
    if (rank() != root) std::memcpy(bytes, shown[static_cast<std::size_t>(root)], size);
    meeting_->meet();
  }

 private:
  // Each thread computes its share of the results and copies it to all.
  template <typename Real>
  void reduce(const Values& values) {
    const auto& shown = meeting_->show(rank(), values.data);
    const Share own = share_of(values.count, *this);
    Real* const result = static_cast<Real*>(shown.front()) + own.first;
    for (int other = 1; other < size(); ++other) {
      const Real* const more = static_cast<const Real*>(shown[static_cast<std::size_t>(other)]) + own.first;
      std::transform(result, result + own.count, more, result,
                     [&](Real a, Real b) { return values.how == Reduction::sum ? a + b : std::max(a, b); });
    }
    for (int other = 1; other < size(); ++other)
      std::copy_n(result, own.count, static_cast<Real*>(shown[static_cast<std::size_t>(other)]) + own.first);
    meeting_->meet();
  }

  std::shared_ptr<Meeting> meeting_;
};

}  // namespace

std::vector<std::shared_ptr<Communicator>> ranks_of_threads(int size) {
  if (size < 1) throw usage_error("{} ranks, expected 1 or more", size);
  const auto meeting = std::make_shared<Meeting>(size);
  std::vector<std::shared_ptr<Communicator>> ranks;
  for (int rank = 0; rank < size; ++rank)
    ranks.push_back(std::make_shared<ThreadCommunicator>(meeting, rank, size));
  return ranks;
}

}  // namespace larmor
