#include <larmor/apps/serve/messages_ahead.hpp>
#include <larmor/core/data/imaging_flags.hpp>

#include <utility>

namespace larmor::app {
namespace {

std::size_t bytes_of(const mrd::Message& message) {
  const auto* acquisition = std::get_if<mrd::Acquisition>(&message);
  return acquisition == nullptr ? sizeof message : acquisition->bytes();
}

bool is_imaging(const mrd::Message& message) {
  const auto* acquisition = std::get_if<mrd::Acquisition>(&message);
  return acquisition != nullptr && never_imaging(acquisition->header) == nullptr;
}

}  // namespace

MessagesAhead::MessagesAhead(mrd::MessageReader reader, std::size_t most_bytes, ReaderState& state)
    : reader_(std::move(reader)), most_bytes_(most_bytes), state_(state), thread_([this] { read_all(); }) {}

MessagesAhead::~MessagesAhead() {
  {
    const std::lock_guard lock(mutex_);
    state_.enough = true;
  }
  changed_.notify_all();
  thread_.join();
}

void MessagesAhead::read_all() {
  bool more = true;
  while (more) {
    std::optional<mrd::Message> message;
    std::exception_ptr failure;
    try {
      message = reader_.next();
    } catch (...) {
      failure = std::current_exception();
    }
    std::unique_lock lock(mutex_);
    if (message) {
      // Nothing is read after a close message: the client may shut down its side before it has received the
      // images.
      more = !std::holds_alternative<mrd::Close>(*message);
      const std::size_t bytes = bytes_of(*message);
      changed_.wait(lock, [&] { return bytes_ == 0 || bytes_ + bytes <= most_bytes_ || state_.enough; });
      more = more && !state_.enough;
      bytes_ += bytes;
      readouts_ += is_imaging(*message) ? 1 : 0;
      waiting_.push_back(std::move(*message));
    } else {
      more = false;
    }
    ended_ = !more;
    failure_ = failure;
    changed_.notify_all();
  }
}

std::optional<mrd::Message> MessagesAhead::next() {
  std::unique_lock lock(mutex_);
  state_.wanted = true;
  changed_.wait(lock, [this] { return !waiting_.empty() || ended_; });
  state_.wanted = false;
  if (waiting_.empty()) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return std::nullopt;
  }
  mrd::Message message = std::move(waiting_.front());
  waiting_.pop_front();
  bytes_ -= bytes_of(message);
  readouts_ -= is_imaging(message) ? 1 : 0;
  ++count_;
  changed_.notify_all();
  return message;
}

std::size_t MessagesAhead::readouts_waiting() const {
  const std::lock_guard lock(mutex_);
  return readouts_;
}

}  // namespace larmor::app
