#include <larmor/core/communicator/network/tcp.hpp>
#include <larmor/core/format_error.hpp>

#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace larmor {
namespace {

using namespace std::chrono_literals;

enum class Kind : std::uint32_t { data = 0x6c61726d, end };

/// What goes before every message: of how many bytes it is, and with which status a rank has ended.
struct Header {
  Kind kind;
  std::int32_t status;
  std::uint64_t bytes;
};

constexpr std::size_t longest_words = 4000;
// For those who may be stopped, so that they take nothing.
constexpr double last_words_seconds = 0.2;

std::string words_of(const Socket& from, const Header& header) {
  std::string words(std::min<std::uint64_t>(header.bytes, longest_words), ' ');
  from.receive(words.data(), words.size(), Patience::seconds(last_words_seconds));
  return words;
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

TcpCommunicator::TcpCommunicator(int rank, int size, std::map<int, Socket> neighbours,
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
  for (const auto& [other, socket] : neighbours_) {
    const Header header{Kind::end, status, last_words_.size()};
    const Patience patience = Patience::seconds(last_words_seconds);
    try {
      socket.send(&header, sizeof(header), patience);
      socket.send(last_words_.data(), last_words_.size(), patience);
    } catch (const ConnectionLost&) {  // it has gone as well
    }
    socket.shut();
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
  if (!is_over()) {
    const Socket& socket = neighbours_.at(other);
    Header header{};
    std::string words = fmt::format("rank {}: its {}", other,
                                    silent ? "machine does not answer" : "process has ended before its time");
    int status = static_cast<int>(rank_lost);
    if (socket.peek(&header, sizeof(header)) == sizeof(header) && header.kind == Kind::end) try {
        socket.receive(&header, sizeof(header), Patience::seconds(last_words_seconds));
        words = words_of(socket, header);
        status = header.status;
        silent = false;
      } catch (const ConnectionLost&) {  // only half of them
      }
    if (!silent) status_of_others_ = status;
    end(status, words);
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
    work(found->second);
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
    const Header header{Kind::data, 0, size};
    socket.send(&header, sizeof(header), patience());
    socket.send(bytes, size, patience());
  });
}

void TcpCommunicator::receive(int from, void* bytes, std::size_t size) {
  with(from, [&](const Socket& socket) {
    Header header{};
    socket.receive(&header, sizeof(header), patience());
    if (header.kind == Kind::end) {
      const std::string words = words_of(socket, header);
      status_of_others_ = header.status;
      end(header.status, words);
      throw Error(rank_lost, words);
    }
    if (header.kind != Kind::data || header.bytes != size)
      throw usage_error("ranks {} and {} do not exchange the same: {} bytes here, {} there", rank(), from,
                        size, header.bytes);
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
    for (const auto& [other, socket] : neighbours_) {
      others.push_back(other);
      looks.push_back({socket.descriptor(), POLLRDHUP, 0});
    }
    while (!unwatched_) {
      std::this_thread::sleep_for(20ms);
      if (exchanging_ || ::poll(looks.data(), looks.size(), 0) <= 0) continue;
      if (is_over()) return;  // by this rank's own doing
      const auto lost =
          std::find_if(looks.begin(), looks.end(), [](const pollfd& one) { return one.revents; });
      const int other = others[static_cast<std::size_t>(lost - looks.begin())];
      try {
        lose(other, neighbours_.at(other).is_silent());
      } catch (const Error& error) {
        const int status = status_of_others_;
        then(status == 0 ? error.exit_code() : status, status == 0 ? error.what() : "");
      }
      return;
    }
  });
}

}  // namespace larmor
