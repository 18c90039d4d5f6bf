#pragma once

#include <larmor/core/cuda/check.hpp>

#include <cstddef>

namespace larmor::cuda {

/// Whether so much host memory is better copied by staged_copy(): the device reads and writes page-locked
/// memory alone, and the driver takes other memory there by one thread.
bool worth_staging(const void* host, std::size_t bytes);
/// Copies between the device's memory and host memory, in the order of the stream, through page-locked pieces
/// that several threads fill or empty while others are on their way. Returns when all is copied.
void staged_copy(void* to, const void* from, std::size_t bytes, bool to_device, int ordinal, Stream stream);

}  // namespace larmor::cuda
