#pragma once

#include <larmor/core/communicator/threads.hpp>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace larmor::test {

/// Runs `work` once for each of `count` ranks, which are threads of this process, and waits for all.
inline void as_ranks(int count, const std::function<void(std::shared_ptr<Communicator>)>& work) {
  std::vector<std::thread> threads;
  for (const auto& ranks : ranks_of_threads(count))
    threads.emplace_back([&work, ranks] {
      try {
        work(ranks);
      } catch (const Error& error) {
        ranks->abort(error.exit_code(), error.what());
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace larmor::test
