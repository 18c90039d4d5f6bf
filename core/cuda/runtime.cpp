#include <larmor/core/cuda/amid_others.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/cuda/staged_copy.hpp>
#include <larmor/core/cuda/vector_kernels.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <limits>
#include <mutex>

namespace larmor::cuda {
namespace {

constexpr int most_devices = 64;

struct DeviceState {
  std::once_flag once;
  cudaStream_t stream = nullptr;
};
std::array<DeviceState, most_devices> devices;

// The stream that records a graph on this thread, in place of the device's own.
thread_local cudaStream_t recording_stream = nullptr;
// This thread's own stream, besides the device's.
thread_local cudaStream_t lane_stream = nullptr;
// Takes the place of all others while a Fork uses its second stream.
thread_local cudaStream_t fork_stream = nullptr;

// Second streams last as long as their thread: they cannot be destroyed while they record.
struct SecondStream {
  ~SecondStream() {
    if (stream != nullptr) cudaStreamDestroy(stream);
  }
  cudaStream_t stream = nullptr;
  int ordinal = -1;
  bool in_use = false;
};
thread_local SecondStream second_stream;

// Streams of this thread that replace the device's; null: none.
cudaStream_t own_stream() {
  return fork_stream != nullptr ? fork_stream : recording_stream != nullptr ? recording_stream : lane_stream;
}

cudaMemPool_t pool_of(int ordinal) {
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, ordinal), "finding the device's memory pool");
  return pool;
}

void set_up(int ordinal, DeviceState& state) {
  check(cudaStreamCreateWithFlags(&state.stream, cudaStreamNonBlocking), "making a CUDA stream");
  // Freed memory stays with the process: the next array of this size needs no call of the driver.
  std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
  check(cudaMemPoolSetAttribute(pool_of(ordinal), cudaMemPoolAttrReleaseThreshold, &keep),
        "setting up the device's memory pool");
}

// Upper limit of pageable memory that the driver has read before a copy to the device returns.
constexpr std::size_t staged_at_once = std::size_t{64} << 10;

bool is_pageable(const void* host) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, host), "asking what memory this is");
  return attributes.type == cudaMemoryTypeUnregistered;
}

}  // namespace

int current_device() {
  int ordinal = -1;
  if (cudaGetDevice(&ordinal) == cudaSuccess) return ordinal;
  cudaGetLastError();
  return -1;
}

void make_current(int ordinal) {
  // Queried each time, because other libraries in the process select devices too.
  if (current_device() != ordinal) check(cudaSetDevice(ordinal), "choosing a CUDA device");
}

void wait_for(Stream waiting, Stream waited) {
  cudaEvent_t done = nullptr;
  check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "making a CUDA event");
  const cudaError_t recorded = cudaEventRecord(done, waited);
  const cudaError_t waits = recorded == cudaSuccess ? cudaStreamWaitEvent(waiting, done, 0) : recorded;
  cudaEventDestroy(done);  // true once it has happened
  check(waits, "letting a stream wait for another");
}

void check(int status, const char* doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that the next call starts clean
  throw resource_error("CUDA failed while {}: {}", doing,
                       cudaGetErrorString(static_cast<cudaError_t>(status)));
}

void check_launch(const char* kernel) {
  check_launch(kernel, cudaGetLastError());
}

void check_launch(const char* kernel, int status) {
  if (status != cudaSuccess)
    throw resource_error("CUDA refused to start the kernel '{}': {}", kernel,
                         cudaGetErrorString(static_cast<cudaError_t>(status)));
}

int device_count() {
  int count = 0;
  const bool found = cudaGetDeviceCount(&count) == cudaSuccess;
  if (!found) cudaGetLastError();
  return found ? count : 0;
}

std::string why_not_usable(int ordinal) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) cudaGetLastError();
  if (status == cudaErrorInsufficientDriver) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    if (driver > 0)
      return fmt::format(
          "the NVIDIA driver supports CUDA {}.{}, and Larmor was built with {}.{}; update the driver",
          driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  }
  if (status != cudaSuccess || count == 0) return "no CUDA device was found (is the NVIDIA driver loaded?)";
  if (ordinal >= count || ordinal >= most_devices)
    return fmt::format("there {} {} CUDA device{}, the last one cuda:{}", count == 1 ? "is" : "are", count,
                       count == 1 ? "" : "s", count - 1);
  make_current(ordinal);
  if (!kernels_fit_device()) {
    cudaDeviceProp properties{};
    cudaGetDeviceProperties(&properties, ordinal);
    return fmt::format(
        "Larmor was built for another GPU than this one ({}, compute capability {}.{}); build it with "
        "-DCMAKE_CUDA_ARCHITECTURES={}{}",
        properties.name, properties.major, properties.minor, properties.major, properties.minor);
  }
  return {};
}

std::string device_name(int ordinal) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "asking for the device's name");
  return fmt::format("{}, {}", properties.name, format_bytes(properties.totalGlobalMem));
}

std::size_t shared_bytes(int ordinal) {
  int bytes = 0;
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, ordinal),
        "asking for the size of shared memory");
  return static_cast<std::size_t>(bytes);
}

Stream stream(int ordinal) {
  make_current(ordinal);
  if (own_stream() != nullptr) return own_stream();
  DeviceState& state = devices.at(static_cast<std::size_t>(ordinal));
  std::call_once(state.once, [&] { set_up(ordinal, state); });
  return state.stream;
}

void begin_lane(int ordinal) {
  stream(ordinal);  // initialises the device
  check(cudaStreamCreateWithFlags(&lane_stream, cudaStreamNonBlocking), "making a CUDA stream");
}

void end_lane() noexcept {
  cudaStreamSynchronize(lane_stream);
  cudaStreamDestroy(lane_stream);
  lane_stream = nullptr;
}

void* allocate(std::size_t bytes, int ordinal) {
  void* pointer = nullptr;
  const cudaError_t status = cudaMallocAsync(&pointer, bytes, stream(ordinal));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(status, "allocating memory");
  return pointer;
}

void release(void* pointer, int ordinal) noexcept {
  // The device is not made current: freeing an array must not change the caller's current device. If the
  // device has been reset, its memory is gone as well.
  cudaFreeAsync(pointer,
                own_stream() != nullptr ? own_stream() : devices[static_cast<std::size_t>(ordinal)].stream);
}

void* allocate_on_host(std::size_t bytes, int ordinal) {
  make_current(ordinal);
  void* pointer = nullptr;
  const cudaError_t status = cudaMallocHost(&pointer, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(status, "allocating page-locked memory");
  return pointer;
}

void release_on_host(void* pointer, int ordinal) noexcept {
  try {
    cudaStreamSynchronize(stream(ordinal));
    cudaFreeHost(pointer);
  } catch (const Error&) {  // the device is gone, and its memory with it
  }
}

void copy_bytes(void* to, const void* from, std::size_t bytes, Direction direction, int ordinal) {
  const cudaStream_t on = stream(ordinal);
  const bool to_device = direction == Direction::to_device;
  if (direction != Direction::within && worth_staging(to_device ? from : to, bytes))
    return staged_copy(to, from, bytes, to_device, ordinal, on);
  // The kind of memory follows from the address: an array of a device may be in page-locked host memory.
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, on), "copying memory");
  if (direction == Direction::within || (to_device && bytes <= staged_at_once && is_pageable(from))) return;
  check(cudaStreamSynchronize(on), "copying memory");
}

void set_bytes(void* pointer, int value, std::size_t bytes, int ordinal) {
  check(cudaMemsetAsync(pointer, value, bytes, stream(ordinal)), "filling memory");
}

void synchronize(int ordinal) {
  check(cudaStreamSynchronize(stream(ordinal)), "waiting for the device");
}

void reset(int ordinal) noexcept {
  if (cudaSetDevice(ordinal) == cudaSuccess) cudaDeviceReset();
}

std::size_t free_bytes(int ordinal) {
  make_current(ordinal);
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "asking for free memory");
  std::uint64_t reserved = 0, used = 0;
  const cudaMemPool_t pool = pool_of(ordinal);
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved),
        "asking for free memory");
  check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "asking for free memory");
  return free + static_cast<std::size_t>(reserved - used);
}

Fork::Fork(int ordinal) {
  if (second_stream.in_use) return;
  first_ = stream(ordinal);
  if (second_stream.ordinal != ordinal) {
    if (second_stream.stream != nullptr) cudaStreamDestroy(second_stream.stream);
    second_stream = {};
    check(cudaStreamCreateWithFlags(&second_stream.stream, cudaStreamNonBlocking), "making a CUDA stream");
    second_stream.ordinal = ordinal;
  }
  wait_for(second_stream.stream, first_);
  second_ = second_stream.stream;
  second_stream.in_use = true;
}

Fork::~Fork() {
  if (second_ == nullptr) return;
  fork_stream = nullptr;
  second_stream.in_use = false;
  try {
    wait_for(first_, second_);
  } catch (const Error&) {  // the device's next operation reports what is wrong
  }
}

void Fork::use_second(bool second) {
  if (second_ != nullptr) fork_stream = second ? second_ : nullptr;
}

Graph::~Graph() {
  clear();
}

void Graph::begin(int ordinal) {
  clear();
  ordinal_ = ordinal;
  make_current(ordinal);
  check(cudaStreamCreateWithFlags(&recording_, cudaStreamNonBlocking), "making a CUDA stream");
  check(cudaStreamBeginCapture(recording_, cudaStreamCaptureModeThreadLocal), "recording a CUDA graph");
  recording_stream = recording_;
}

void Graph::end() {
  recording_stream = nullptr;
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(recording_, &graph);
  cudaStreamDestroy(recording_);
  recording_ = nullptr;
  check(ended, "recording a CUDA graph");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t made = cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  check(made, "preparing a CUDA graph");
  executable_ = executable;
}

void Graph::launch() const {
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(executable_), stream(ordinal_)),
        "starting a CUDA graph");
}

void Graph::clear() noexcept {
  if (recording_ != nullptr) {  // an error between begin() and end()
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(recording_, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaStreamDestroy(recording_);
    recording_ = nullptr;
    recording_stream = nullptr;
    cudaGetLastError();  // so that the next call starts clean
  }
  if (executable_ != nullptr) cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable_));
  executable_ = nullptr;
}

}  // namespace larmor::cuda
