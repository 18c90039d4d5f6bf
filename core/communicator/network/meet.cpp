#include <larmor/core/communicator/network/meet.hpp>
#include <larmor/core/format_error.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <set>

namespace larmor {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t magic = 0x3130726f6d72616cULL;  // "larmor01"
// A stranger may say nothing; a rank says who it is at once.
constexpr double stranger_seconds = 3;
constexpr std::size_t most_waiting = 256;
constexpr std::size_t longest_host = 255;  // a name of the domain name system has 253 characters
constexpr auto look_every = 10ms;

using Text = std::array<char, 64>;
using Host = std::array<char, longest_host + 1>;

template <typename Fixed>
Fixed fixed(const std::string& words) {
  Fixed text{};
  std::copy_n(words.begin(), std::min(words.size(), text.size() - 1), text.begin());
  return text;
}

/// What a rank says when it has connected, once for each of a neighbour's connections, and what it is
/// answered.
struct Greeting {
  std::uint64_t magic, job;
  std::int32_t rank, size, port, last_words;
  Text version, machine;
};

/// Where a rank can be found by those below it.
struct Place {
  Host host;
  Text machine;
  std::int32_t port, reserved;
};

/// A rank that has come, by the connections that it has made.
struct Arrived {
  Neighbour connections;
  Greeting greeting;
};

// The same for processes of one machine until it starts anew.
std::string machine_of_this_process() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return text;
}

std::string list_of(const std::set<int>& ranks) {
  constexpr std::size_t most = 8;
  std::string text;
  std::size_t named = 0;
  for (const int rank : ranks) {
    if (named++ == most) return text + ", …";
    text += (text.empty() ? "" : ", ") + std::to_string(rank);
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

class Meeting {
 public:
  Meeting(const MeetingPlace& place, const std::function<void()>& meanwhile)
      : place_(place),
        meanwhile_(meanwhile),
        own_{magic,
             std::hash<std::string>()(place.job),
             place.rank,
             place.size,
             0,
             0,
             fixed<Text>(place.version),
             fixed<Text>(machine_of_this_process())} {}

  MetRanks met() { return place_.rank == 0 ? lead() : follow(); }

 private:
  Patience all_time() const { return Patience::seconds(place_.seconds, &meanwhile_); }

  MetRanks lead() {
    const Socket listener = listen();
    std::set<int> all;
    for (int rank = 1; rank < place_.size; ++rank) all.insert(rank);
    std::map<int, Arrived> arrived;
    try {
      await(listener, all, all_time(), arrived);
    } catch (const Error& error) {
      for (auto& [rank, one] : arrived)
        pair_with(std::move(one.connections)).abort(error.exit_code(), error.what());
      throw;
    }
    std::vector<Place> places(static_cast<std::size_t>(place_.size));
    places[0] = {fixed<Host>(place_.host), own_.machine, 0, 0};
    for (const auto& [rank, one] : arrived) {
      // What came from this machine is found by others as this machine is.
      const std::string seen = one.connections.data.other_address();
      const bool loopback = seen.starts_with("127.") || seen == "::1";
      places[static_cast<std::size_t>(rank)] = {fixed<Host>(loopback ? place_.host : seen),
                                                one.greeting.machine, one.greeting.port, 0};
    }
    std::map<int, Neighbour> neighbours;
    for (auto& [rank, one] : arrived) {
      TcpCommunicator pair = pair_with(std::move(one.connections));
      try {
        pair.broadcast(View<Place>(places), 0);
      } catch (const Error& error) {
        if (error.error_class() != rank_lost) throw;  // otherwise noticed by those who speak with it
      }
      if (PairwiseCommunicator::above(rank) == 0) neighbours[rank] = pair.let_go_of(1);
    }
    return joined(std::move(neighbours), places);
  }

  MetRanks follow() {
    std::map<int, Neighbour> neighbours;
    Socket listener;
    const std::vector<int> below = PairwiseCommunicator::below(place_.rank, place_.size);
    if (!below.empty()) {
      listener = Socket::listening(0);
      own_.port = listener.port();
    }
    Neighbour to_first = found(0, place_.host, place_.port, place_.ports);
    std::vector<Place> places(static_cast<std::size_t>(place_.size));
    // Rank 0 may have come long after this one.
    constexpr double longer = 5;
    const auto last = Patience::seconds(place_.seconds + longer);
    auto pair = std::make_shared<TcpCommunicator>(1, 2, alone(0, std::move(to_first)), [&, last] {
      if (last.over()) throw resource_error("rank 0 did not gather all ranks within {:g} s", place_.seconds);
      if (meanwhile_) meanwhile_();
    });
    try {
      pair->broadcast(View<Place>(places), 0);
    } catch (const Error& error) {
      if (error.error_class() != rank_lost) throw;
      return {pair, 0, 1};
    }
    to_first = pair->let_go_of(0);
    const int above = PairwiseCommunicator::above(place_.rank);
    const Place& next = places[static_cast<std::size_t>(above)];
    neighbours[above] = above == 0 ? std::move(to_first) : found(above, next.host.data(), next.port, 1);
    std::map<int, Arrived> arrived;
    await(listener, {below.begin(), below.end()}, all_time(), arrived);
    for (auto& [rank, one] : arrived) neighbours[rank] = std::move(one.connections);
    return joined(std::move(neighbours), places);
  }

  Socket listen() {
    for (int port = place_.port;; ++port) try {
        return Socket::listening(port);
      } catch (const Error& error) {
        if (port + 1 >= place_.port + place_.ports)
          throw Error(error.error_class(),
                      fmt::format("rank 0: {}: choose another (MASTER_PORT, which is one "
                                  "less)",
                                  error.what()));
      }
  }

  static std::map<int, Neighbour> alone(int rank, Neighbour neighbour) {
    std::map<int, Neighbour> neighbours;
    neighbours[rank] = std::move(neighbour);
    return neighbours;
  }

  // Rank 0 and another one, before the others are there.
  TcpCommunicator pair_with(Neighbour other) const { return {0, 2, alone(1, std::move(other)), meanwhile_}; }

  // Strangers may connect as well: they say something else, or nothing.
  void await(const Socket& listener, std::set<int> missing, const Patience& patience,
             std::map<int, Arrived>& arrived) const {
    std::vector<std::pair<Socket, Patience>> waiting;
    while (!missing.empty()) {
      while (waiting.size() < most_waiting) {
        auto next = listener.accepted();
        if (!next) break;
        waiting.emplace_back(std::move(*next), Patience::seconds(stranger_seconds));
      }
      for (auto& [socket, least] : waiting) {
        Greeting greeting{};
        const long bytes = socket.peek(&greeting, sizeof(greeting));
        const bool stranger = bytes >= static_cast<long>(sizeof(magic)) && greeting.magic != magic;
        if (bytes < 0 || stranger || least.over()) {
          socket = Socket();
        } else if (bytes == sizeof(greeting)) {
          socket.receive(&greeting, sizeof(greeting), patience);
          if (welcome(socket, greeting, arrived)) {
            Arrived& one = arrived[greeting.rank];
            if (greeting.last_words != 0) {
              one.connections.last_words = std::move(socket);
              missing.erase(greeting.rank);
            } else {
              one = {{std::move(socket), Socket()}, greeting};
            }
          }
          socket = Socket();
        }
      }
      std::erase_if(waiting, [](const auto& one) { return !one.first.open(); });
      if (missing.empty()) return;
      if (patience.over())
        throw resource_error("{} of {} did not come to {}:{} within {:g} s", list_of(missing), place_.size,
                             place_.host, listener.port(), place_.seconds);
      if (meanwhile_) meanwhile_();
      std::this_thread::sleep_for(look_every);
    }
  }

  bool welcome(const Socket& socket, const Greeting& other, const std::map<int, Arrived>& arrived) const {
    if (other.job != own_.job || other.rank < 1 || other.rank >= place_.size) return false;
    if (other.size != own_.size)
      throw usage_error("rank {} was told of {} ranks, rank {} of {}", other.rank, other.size, own_.rank,
                        own_.size);
    if (other.version != own_.version)
      throw input_error("rank {} is of version {}, rank {} of {}", other.rank, other.version.data(),
                        own_.rank, own_.version.data());
    const auto before = arrived.find(other.rank);
    const bool known = before != arrived.end();
    char byte = 0;
    const bool there = known && before->second.connections.data.peek(&byte, 1) >= 0;
    if (other.last_words == 0 && there) throw usage_error("rank {} is there twice", other.rank);
    // Who was not answered in time has given up both connections, and comes again.
    if (other.last_words != 0 && (!there || socket.peek(&byte, 1) < 0)) return false;
    try {
      socket.send(&own_, sizeof(own_), Patience::seconds(stranger_seconds));
    } catch (const ConnectionLost&) {
      return false;
    }
    return true;
  }

  // Another rank, which may not listen yet. Others may listen where it is looked for.
  Neighbour found(int rank, const std::string& host, int port, int ports) const {
    const Patience patience = all_time();
    for (int i = 0;; i = (i + 1) % ports) {
      Neighbour other;
      other.data = greeted(rank, host, port + i, false);
      if (other.data.open()) other.last_words = greeted(rank, host, port + i, true);
      if (other.last_words.open()) return other;
      if (patience.over())
        throw resource_error("rank {} did not answer at {}:{} within {:g} s", rank, host, port,
                             place_.seconds);
      if (meanwhile_) meanwhile_();
      std::this_thread::sleep_for(look_every);
    }
  }

  // A connection to that rank; none where it does not answer.
  Socket greeted(int rank, const std::string& host, int port, bool last_words) const {
    const Patience here = Patience::seconds(stranger_seconds, &meanwhile_);
    auto socket = Socket::connected(host, port, here);
    if (!socket) return {};
    Greeting own = own_, answer{};
    own.last_words = last_words ? 1 : 0;
    try {
      socket->send(&own, sizeof(own), here);
      socket->receive(&answer.magic, sizeof(magic), here);
      if (answer.magic != magic) return {};
      socket->receive(&answer.job, sizeof(answer) - sizeof(magic), here);
    } catch (const ConnectionLost&) {  // not the one, or not yet
      return {};
    }
    return answer.job == own_.job && answer.rank == rank ? std::move(*socket) : Socket();
  }

  MetRanks joined(std::map<int, Neighbour> neighbours, const std::vector<Place>& places) const {
    MetRanks met{
        std::make_shared<TcpCommunicator>(place_.rank, place_.size, std::move(neighbours), meanwhile_), 0, 0};
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
      if (places[rank].machine != own_.machine) continue;
      ++met.on_this_machine;
      if (static_cast<int>(rank) < place_.rank) ++met.local_rank;
    }
    return met;
  }

  MeetingPlace place_;
  std::function<void()> meanwhile_;
  Greeting own_;
};

}  // namespace

MetRanks meet(const MeetingPlace& place, const std::function<void()>& meanwhile) {
  if (place.size < 1 || place.rank < 0 || place.rank >= place.size)
    throw usage_error("rank {} of {}", place.rank, place.size);
  if (place.host.size() > longest_host)
    throw usage_error("the name of rank 0's machine has {} characters, expected at most {}",
                      place.host.size(), longest_host);
  if (place.size == 1)
    return {std::make_shared<TcpCommunicator>(0, 1, std::map<int, Neighbour>(), meanwhile), 0, 1};
  return Meeting(place, meanwhile).met();
}

}  // namespace larmor
