#pragma once

#include <larmor/core/communicator/shared_memory.hpp>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace larmor::test {

/// Runs `work` once for each of `count` ranks, which are threads of this process, and waits for all.
inline void as_ranks(int count, const std::function<void(std::shared_ptr<Communicator>)>& work) {
  const auto segment = RankSegment::create(count);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank)
    threads.emplace_back([&, rank] {
      const auto ranks = std::make_shared<SharedMemoryCommunicator>(segment, rank);
      try {
        work(ranks);
      } catch (const Error& error) {
        ranks->abort(error.exit_code(), error.what());
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace larmor::test
