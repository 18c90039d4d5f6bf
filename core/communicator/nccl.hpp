#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>

#include <memory>

namespace LARMOR_API larmor {

/// Variables of the environment that NCCL reads, unless they are set: NVLink multicast is off
/// (NCCL_NVLS_ENABLE); deterministic: the algorithm is fixed, so that sums have the same bits in every run
/// (NCCL_ALGO). To be called while no other thread looks at the environment.
void set_nccl_environment(bool deterministic);

/// The same ranks with NVIDIA's NCCL between their devices: arrays on `device`, a CUDA device of each rank's
/// own, travel from device to device, those of the CPU through `host`. NCCL connects the devices on a thread
/// of its own: the first array of a device waits for it. Throws Error (resource) where a rank has no NCCL
/// (libnccl.so.2) or cannot use it, on every rank alike; where the devices cannot be connected, with the
/// first array.
std::shared_ptr<Communicator> with_nccl(std::shared_ptr<Communicator> host, const Device& device);

}  // namespace larmor
