#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>

#include <vector>

namespace LARMOR_API larmor {

/// Ranks that hand bytes to one another, in host memory. They form a tree: rank r speaks with the one that
/// has r's lowest bit not set, and with those that have r for that. Values are added in pairs up to rank 0,
/// ((0 + 1) + (2 + 3)), and handed down from there, so that all ranks hold the same bits, the same in every
/// run.
class PairwiseCommunicator : public Communicator {
 public:
  /// The rank that `rank`, which is not 0, speaks with on the way to rank 0.
  static int above(int rank) { return rank & (rank - 1); }
  /// Those that speak with it on that way, the nearest first.
  static std::vector<int> below(int rank, int size);

 protected:
  /// One of `size` ranks.
  PairwiseCommunicator(int rank, int size) : Communicator(rank, size) {}

  /// `to` and `from` are neighbours in the tree. A message is received as it was sent, with the same size.
  virtual void send(int to, const void* bytes, std::size_t size) = 0;
  virtual void receive(int from, void* bytes, std::size_t size) = 0;

  void reduce_on_host(const Values& values) override;
  void broadcast_on_host(void* bytes, std::size_t size, int root) override;

 private:
  template <typename Real>
  void add_up(Real* values, Index count, Reduction how);
  void hand_down(void* bytes, std::size_t size);
};

}  // namespace larmor
