#include <larmor/core/communicator/network/tcp.hpp>
#include <larmor/core/format_error.hpp>

#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace larmor {
namespace {

using namespace std::chrono_literals;

/// What goes before a message: of how many bytes it is.
using Size = std::uint64_t;

/// What goes before the last words of a rank: with which status it has ended.
struct Ending {
  std::int32_t status;
  std::uint32_t bytes;
};

constexpr std::size_t longest_words = 4000;
// For those who may be stopped, so that they take nothing, and for words that come after the end of what was
// exchanged.
constexpr double last_words_seconds = 0.2;

// Nothing of one that has ended without a word.
std::optional<std::pair<int, std::string>> last_words_of(const Socket& other) try {
  const Patience patience = Patience::seconds(last_words_seconds);
  Ending ending{};
  other.receive(&ending, sizeof(ending), patience);
  std::string words(std::min<std::size_t>(ending.bytes, longest_words), ' ');
  other.receive(words.data(), words.size(), patience);
  return std::pair(ending.status, words);
} catch (const ConnectionLost&) {
  return std::nullopt;
}

struct Flag {
  explicit Flag(std::atomic<bool>& value) : value_(value) { value_ = true; }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;
  ~Flag() { value_ = false; }

 private:
  std::atomic<bool>& value_;
};

}  // namespace

TcpCommunicator::TcpCommunicator(int rank, int size, std::map<int, Neighbour> neighbours,
                                 std::function<void()> meanwhile)
    : PairwiseCommunicator(rank, size),
      neighbours_(std::move(neighbours)),
      meanwhile_(std::move(meanwhile)) {}

TcpCommunicator::~TcpCommunicator() {
  stop_watching();
  release_staging();
}

void TcpCommunicator::end(int status, const std::string& message) noexcept {
  const std::lock_guard lock(ending_);
  if (ended_) return;
  ended_ = true;
  last_words_ = message.substr(0, longest_words);
  const Ending ending{status, static_cast<std::uint32_t>(last_words_.size())};
  for (const auto& [other, neighbour] : neighbours_) {
    const Patience patience = Patience::seconds(last_words_seconds);
    try {
      neighbour.last_words.send(&ending, sizeof(ending), patience);
      neighbour.last_words.send(last_words_.data(), last_words_.size(), patience);
    } catch (const ConnectionLost&) {  // it has gone as well
    }
    neighbour.data.shut();
  }
}

void TcpCommunicator::abort(int status, const std::string& message) noexcept {
  end(status, fmt::format("rank {}: {}", rank(), message));
}

bool TcpCommunicator::is_over() {
  const std::lock_guard lock(ending_);
  return ended_;
}

// Its own words are there where it could still say them.
void TcpCommunicator::lose(int other, bool silent) {
  if (const std::lock_guard lock(losing_); !is_over()) {
    const auto said = last_words_of(neighbours_.at(other).last_words);
    if (said) {
      status_of_others_ = said->first;
      end(said->first, said->second);
    } else {
      if (!silent) status_of_others_ = static_cast<int>(rank_lost);
      end(static_cast<int>(rank_lost),
          fmt::format("rank {}: its {}", other,
                      silent ? "machine does not answer" : "process has ended before its time"));
    }
  }
  const std::lock_guard lock(ending_);
  throw Error(rank_lost, last_words_);
}

// work(the connection to `other`).
template <typename Work>
void TcpCommunicator::with(int other, const Work& work) {
  const Flag flag(exchanging_);
  const auto found = neighbours_.find(other);
  if (found == neighbours_.end() || is_over()) lose(other, false);
  try {
    work(found->second.data);
  } catch (const ConnectionLost& lost) {
    lose(other, lost.silent);
  } catch (const Error& error) {
    if (error.error_class() != rank_lost) abort(error.exit_code(), error.what());
    throw;
  } catch (...) {  // by what is done meanwhile
    abort(static_cast<int>(ErrorClass::cancelled), "interrupted");
    throw;
  }
}

void TcpCommunicator::send(int to, const void* bytes, std::size_t size) {
  with(to, [&](const Socket& socket) {
    const Size bytes_to_come = size;
    socket.send(&bytes_to_come, sizeof(bytes_to_come), patience());
    socket.send(bytes, size, patience());
  });
}

void TcpCommunicator::receive(int from, void* bytes, std::size_t size) {
  with(from, [&](const Socket& socket) {
    Size bytes_to_come = 0;
    socket.receive(&bytes_to_come, sizeof(bytes_to_come), patience());
    if (bytes_to_come != size)
      throw usage_error("ranks {} and {} do not exchange the same: {} bytes here, {} there", rank(), from,
                        size, bytes_to_come);
    socket.receive(bytes, size, patience());
  });
}

void TcpCommunicator::finish() {
  stop_watching();
  barrier();
}

void TcpCommunicator::stop_watching() {
  unwatched_ = true;
  if (watch_.joinable()) watch_.join();
}

void TcpCommunicator::watch(std::function<void(int, const std::string&)> then) {
  watch_ = std::thread([this, then = std::move(then)] {
    std::vector<int> others;
    std::vector<pollfd> looks;
    for (const auto& [other, neighbour] : neighbours_) {
      others.push_back(other);
      looks.push_back({neighbour.last_words.descriptor(), POLLIN | POLLRDHUP, 0});
    }
    while (!unwatched_) {
      std::this_thread::sleep_for(20ms);
      if (exchanging_ || ::poll(looks.data(), looks.size(), 0) <= 0) continue;
      if (is_over()) return;  // by this rank's own doing
      const auto lost =
          std::find_if(looks.begin(), looks.end(), [](const pollfd& one) { return one.revents; });
      const int other = others[static_cast<std::size_t>(lost - looks.begin())];
      try {
        lose(other, neighbours_.at(other).last_words.is_silent());
      } catch (const Error& error) {
        const int status = status_of_others_;
        then(status == 0 ? error.exit_code() : status, status == 0 ? error.what() : "");
      }
      return;
    }
  });
}

}  // namespace larmor
