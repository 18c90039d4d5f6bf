#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>

#include <memory>

namespace LARMOR_API larmor {

/// Environment variables that NCCL reads; set here unless they are set already: NVLink multicast is off
/// (NCCL_NVLS_ENABLE); deterministic: the algorithm is fixed, so that sums have the same bits in every run
/// (NCCL_ALGO). Call this while no other thread reads the environment.
void set_nccl_environment(bool deterministic);

/// The same ranks connected by NVIDIA's NCCL: arrays on `device`, one CUDA device for each rank, are sent
/// from device to device, those of the CPU through `host`. NCCL connects the devices in a separate thread;
/// the first array on a device waits for it. Throws Error (resource) on every rank if one of them has no NCCL
/// (libnccl.so.2) or cannot use it; connection errors are thrown with the first array.
std::shared_ptr<Communicator> with_nccl(std::shared_ptr<Communicator> host, const Device& device);

}  // namespace larmor
