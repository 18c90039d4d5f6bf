#pragma once

#include <larmor/core/cuda/check.hpp>

#include <cstddef>

namespace larmor::cuda {

/// True if staged_copy() is faster for this much host memory: the device accesses only page-locked memory,
/// and the driver copies other memory with one thread.
bool worth_staging(const void* host, std::size_t bytes);
/// Copies between device memory and host memory, in stream order, through page-locked pieces that several
/// threads fill or empty while others are transferred. Returns when everything is copied.
void staged_copy(void* to, const void* from, std::size_t bytes, bool to_device, int ordinal, Stream stream);

}  // namespace larmor::cuda
