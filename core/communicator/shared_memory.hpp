#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/communicator/rank_segment.hpp>
#include <larmor/core/export.hpp>

#include <memory>

namespace LARMOR_API larmor {

/// Ranks of one machine, processes or threads, through memory that they share. Ranks are added in pairs,
/// ((0 + 1) + (2 + 3)), each element on one rank, so that all hold the same bits, the same in every run.
/// Arrays of a CUDA device go through page-locked memory.
class SharedMemoryCommunicator final : public Communicator {
 public:
  /// Throws Error (usage) for a rank that the segment has no place for.
  SharedMemoryCommunicator(std::shared_ptr<RankSegment> segment, int rank);
  ~SharedMemoryCommunicator() override { release_staging(); }
  std::string name() const override { return "shared memory"; }
  void abort(int status, const std::string& message) noexcept override;

 protected:
  void reduce_on_host(const Values& values) override;
  void broadcast_on_host(void* bytes, std::size_t size, int root) override;

 private:
  template <typename Real>
  void reduce_chunks(Real* values, Index count, Reduction how);

  std::shared_ptr<RankSegment> segment_;
};

}  // namespace larmor
