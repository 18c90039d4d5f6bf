#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/core/export.hpp>

#include <cstddef>
#include <string>

namespace larmor::cuda {

/// Devices that the driver offers; 0 without a driver.
int device_count();
/// Why device `ordinal` cannot be used, as the end of a sentence; empty when it can.
std::string why_not_usable(int ordinal);
/// "NVIDIA H200, 143.1 GB"
std::string device_name(int ordinal);
/// Shared memory of a multiprocessor, in bytes.
std::size_t shared_bytes(int ordinal);

/// All work on one device is done in one order, on this stream of its own: arrays are allocated, used and
/// freed in that order, so no array waits for another. Makes the device current for this thread.
LARMOR_API Stream stream(int ordinal);
/// Between the two, this thread's stream of the device is one of its own beside the others'. end_lane() waits
/// for it; arrays that were made there and live on are those of the device's stream from then on.
void begin_lane(int ordinal);
void end_lane() noexcept;
/// Memory from the device's pool, in stream order; null when there is not enough.
void* allocate(std::size_t bytes, int ordinal);
void release(void* pointer, int ordinal) noexcept;
/// Page-locked host memory that the device reaches under the same address; null when there is not enough.
/// Freed when the device has done all that it was given before.
void* allocate_on_host(std::size_t bytes, int ordinal);
void release_on_host(void* pointer, int ordinal) noexcept;
/// Copies between host and device or within a device, in stream order; returns when host memory is free to be
/// used again. Page-locked memory of allocate_on_host() counts as the device's.
enum class Direction { to_device, to_host, within };
void copy_bytes(void* to, const void* from, std::size_t bytes, Direction direction, int ordinal);
void set_bytes(void* pointer, int value, std::size_t bytes, int ordinal);
/// Waits for everything; throws what went wrong in a kernel.
void synchronize(int ordinal);
/// Gives the device back, with all memory and streams of this process there: nothing may use it any more.
LARMOR_API void reset(int ordinal) noexcept;
/// Bytes that can still be allocated, the pool's unused ones included.
std::size_t free_bytes(int ordinal);

/// Records work into a graph instead of doing it: between begin() and end() this thread's stream(ordinal) is
/// one that records. launch() then does the work as often as wanted, with the same addresses.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();
  void begin(int ordinal);
  void end();
  bool ready() const { return executable_ != nullptr; }
  void launch() const;
  void clear() noexcept;

 private:
  int ordinal_ = 0;
  Stream recording_ = nullptr;
  void* executable_ = nullptr;
};

}  // namespace larmor::cuda
