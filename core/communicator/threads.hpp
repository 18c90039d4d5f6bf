#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>

#include <memory>
#include <vector>

namespace LARMOR_API larmor {

/// Ranks that are threads of this process, one for each thread: for the GPUs of one machine, connected by
/// with_nccl(). Values are summed in the order of the ranks, so that every run gives the same bits. After
/// abort() all calls of the others throw. Throws Error (usage) unless size > 0.
std::vector<std::shared_ptr<Communicator>> ranks_of_threads(int size);

}  // namespace larmor
