#pragma once

#include <larmor/core/communicator/network/socket.hpp>
#include <larmor/core/communicator/pairwise.hpp>
#include <larmor/core/export.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace LARMOR_API larmor {

/// What leads to a neighbour: a connection for what is exchanged, and one for the last words of who ends.
/// These come through while a message is under way, and are not lost with what of it nobody has received.
struct Neighbour {
  Socket data, last_words;
};

/// Ranks of one machine or several, through connections of TCP between neighbours in the tree: it takes no
/// MPI. A rank that ends before its time ends the others, with its status and message where it could say
/// them. Numbers travel as they are: machines are of one kind.
class TcpCommunicator final : public PairwiseCommunicator {
 public:
  /// meanwhile: called every tenth of a second of waiting; may throw.
  TcpCommunicator(int rank, int size, std::map<int, Neighbour> neighbours,
                  std::function<void()> meanwhile = {});
  ~TcpCommunicator() override;
  std::string name() const override { return "TCP"; }
  void abort(int status, const std::string& message) noexcept override;
  int status_of_others() const override { return status_of_others_; }
  void finish() override;
  /// From now on it is noticed that another rank has ended while this one computes: then(exit status, what is
  /// to be said, empty where somebody has said it) is called, once, on a thread of its own.
  void watch(std::function<void(int, const std::string&)> then);
  /// What leads to a neighbour, with whom nothing is exchanged any more.
  Neighbour let_go_of(int neighbour) { return std::move(neighbours_.at(neighbour)); }

 protected:
  void send(int to, const void* bytes, std::size_t size) override;
  void receive(int from, void* bytes, std::size_t size) override;

 private:
  template <typename Work>
  void with(int other, const Work& work);
  [[noreturn]] void lose(int other, bool silent);
  bool is_over();
  void end(int status, const std::string& message) noexcept;
  void stop_watching();
  Patience patience() const { return {.meanwhile = &meanwhile_}; }

  std::map<int, Neighbour> neighbours_;
  std::function<void()> meanwhile_;
  std::mutex losing_, ending_;  // the former is taken first
  bool ended_ = false;
  std::string last_words_;  // of the rank that has ended first
  std::atomic<int> status_of_others_{0};
  std::atomic<bool> exchanging_{false}, unwatched_{false};
  std::thread watch_;
};

}  // namespace larmor
