#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>

#include <memory>
#include <string>

namespace LARMOR_API larmor {

/// The same ranks with NVIDIA's NCCL between their devices: arrays on `device`, a CUDA device of each rank's
/// own, travel from device to device, those of the CPU through `host`. NCCL is looked for when this is called
/// (libnccl.so.2); where a rank has none, or cannot use it, `host` is returned and `why_not` says why, on
/// every rank alike. NCCL connects the devices on a thread of its own: the first array of a device waits for
/// it; where that fails, arrays go through `host` and detour() says why. NVLink multicast stays off unless
/// the environment says otherwise (NCCL_NVLS_ENABLE).
std::shared_ptr<Communicator> with_nccl(std::shared_ptr<Communicator> host, const Device& device,
                                        std::string* why_not = nullptr);

}  // namespace larmor
