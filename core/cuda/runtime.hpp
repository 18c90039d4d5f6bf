#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/core/export.hpp>

#include <cstddef>
#include <string>

namespace larmor::cuda {

/// Number of devices that the driver offers; 0 without a driver.
int device_count();
/// Reason why device `ordinal` cannot be used, as the end of a sentence; empty if it can.
std::string why_not_usable(int ordinal);
/// "NVIDIA H200, 143.1 GB"
std::string device_name(int ordinal);
/// Shared memory of a multiprocessor, in bytes.
std::size_t shared_bytes(int ordinal);

/// The stream of a device, on which all its work is ordered: arrays are allocated, used and freed in that
/// order, so that no array waits for another. Makes the device current for this thread.
LARMOR_API Stream stream(int ordinal);
/// Between the two calls, this thread has a stream of its own on the device. end_lane() waits for it; arrays
/// allocated there that live on belong to the device's stream from then on.
void begin_lane(int ordinal);
void end_lane() noexcept;
/// Memory from the device's pool, in stream order; null if there is not enough.
void* allocate(std::size_t bytes, int ordinal);
void release(void* pointer, int ordinal) noexcept;
/// Page-locked host memory that the device can access under the same address; null if there is not enough.
/// Freed once all earlier work on the device is done.
void* allocate_on_host(std::size_t bytes, int ordinal);
void release_on_host(void* pointer, int ordinal) noexcept;
/// Copies between host and device or within a device, in stream order; returns when the host memory can be
/// reused. Page-locked memory of allocate_on_host() counts as device memory.
enum class Direction { to_device, to_host, within };
void copy_bytes(void* to, const void* from, std::size_t bytes, Direction direction, int ordinal);
void set_bytes(void* pointer, int value, std::size_t bytes, int ordinal);
/// Waits for all work; throws the error of a failed kernel.
void synchronize(int ordinal);
/// Releases the device with all memory and streams of this process: nothing may use it any more.
LARMOR_API void reset(int ordinal) noexcept;
/// Bytes that can still be allocated, including unused ones in the pool.
std::size_t free_bytes(int ordinal);

/// Two streams for work in independent parts: the stream in use, and a second one that begins after all
/// earlier work. Work after its destruction waits for both. Inside another one it has no effect.
class Fork {
 public:
  explicit Fork(int ordinal);
  Fork(const Fork&) = delete;
  Fork& operator=(const Fork&) = delete;
  ~Fork();
  /// Until the next call, work of this thread goes to the second stream, or else to the first.
  void use_second(bool second);

 private:
  Stream first_ = nullptr, second_ = nullptr;
};

/// Records work into a graph instead of executing it: between begin() and end() this thread's stream(ordinal)
/// records. launch() then executes the work any number of times, with the same addresses.
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
