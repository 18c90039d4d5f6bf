#pragma once

#include <larmor/core/communicator/network/meeting_place.hpp>
#include <larmor/core/communicator/network/tcp.hpp>
#include <larmor/core/export.hpp>

#include <functional>
#include <memory>

namespace LARMOR_API larmor {

/// This process as one of the ranks that meet there. Rank 0 waits for the others, who look for it; strangers
/// that connect, or are found there, are passed over. Throws Error: resource where the port is taken or a
/// rank is missing when the time is over; usage where a rank is there twice; input where versions differ.
/// Those who have met the rank that throws lose it in the first exchange. meanwhile: as TcpCommunicator.
struct MetRanks {
  std::shared_ptr<TcpCommunicator> communicator;
  int local_rank = 0, on_this_machine = 1;  ///< which, and how many
};
MetRanks meet(const MeetingPlace& place, const std::function<void()>& meanwhile = {});

}  // namespace larmor
