#include <larmor/core/context.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/cuda/vector_kernels.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/memory_limits.hpp>

#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace larmor {
namespace {

int processors_available() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

// A program that does not catch an Error prints its message and exits with its status.
const std::terminate_handler earlier_handler = std::set_terminate([] {
  if (const std::exception_ptr uncaught = std::current_exception()) try {
      std::rethrow_exception(uncaught);
    } catch (const Error& error) {
      fmt::print(stderr, "error: {}\n", error.what());
      std::_Exit(error.exit_code());
    } catch (...) {
    }
  earlier_handler();
});

}  // namespace

void Reporter::warning(const std::string& message) {
  fmt::print(stderr, "warning: {}\n", message);
}

Arena::~Arena() {
  rewind(0);
  free_bytes(memory_, capacity_, device_);
}

void Arena::reserve(std::size_t bytes) {
  if (used_ + bytes <= capacity_) return;
#ifdef LARMOR_SEPARATE_SCRATCH
  capacity_ = used_ + bytes;
#else
  if (used_ > 0)
    throw internal_error(
        "scratch arena: {} bytes in use, {} more wanted, {} reserved; reserve before the first apply", used_,
        bytes, capacity_);
  release();
  memory_ = static_cast<std::byte*>(allocate_bytes(bytes, device_));
  capacity_ = bytes;
#endif
}

void Arena::release() {
  if (used_ > 0) throw internal_error("scratch arena: {} bytes still in use", used_);
  free_bytes(memory_, capacity_, device_);
  memory_ = nullptr;
  capacity_ = 0;
}

void* Arena::take(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  if (used_ + size > capacity_)
    throw internal_error(
        "scratch arena: {} bytes taken of {} reserved, {} more wanted; scratch_bytes() is too small", used_,
        capacity_, size);
#ifdef LARMOR_SEPARATE_SCRATCH
  // Exactly the requested bytes, so that an address sanitizer detects access beyond them.
  void* pointer = allocate_bytes(bytes, device_);
  if (bytes > 0 && !device_.on_gpu()) std::memset(pointer, 0xff, bytes);
  if constexpr (cuda::built)
    if (bytes > 0 && device_.on_gpu()) cuda::set_bytes(pointer, 0xff, bytes, device_.ordinal);
  separate_.push_back({pointer, bytes, used_});
  used_ += size;
  return pointer;
#else
  void* pointer = memory_ + used_;
  used_ += size;
  return pointer;
#endif
}

void Arena::rewind(std::size_t used) {
  while (!separate_.empty() && separate_.back().used_before >= used) {
    free_bytes(separate_.back().pointer, separate_.back().bytes, device_);
    separate_.pop_back();
  }
  used_ = used;
}

Context Context::starting(Device device, ContextOptions options) {
  constexpr int most_threads = 1024;
  if (options.threads < 0 || options.threads > most_threads)
    throw usage_error("threads must be 0 (all) or a number up to {}, got {}", most_threads, options.threads);
  if (!options.reporter) options.reporter = std::make_shared<Reporter>();
  auto pool = std::make_shared<ThreadPool>(options.threads > 0 ? options.threads : processors_available());
  return Context(device, std::move(options), std::move(pool));
}

Context::Context(Device device, ContextOptions options) : Context(starting(device, std::move(options))) {
  require_available(device);
  if (on_gpu()) reduction_buffers();
}

Context Context::host() const {
  ContextOptions options = options_;
  if (on_gpu()) options.memory_limit = 0;  // the limit applies to the device only
  Context host(Device::cpu(), std::move(options), pool_);
  host.vector_ranks_ = vector_ranks_;
  return host;
}

std::size_t Context::memory_limit() const {
  if (options_.memory_limit > 0) return options_.memory_limit;
  if constexpr (cuda::built)
    if (on_gpu()) {
      require_available(device_);
      return cuda::free_bytes(device_.ordinal);
    }
  return available_memory_bytes();
}

cuda::Stream Context::stream() const {
  require_available(device_);
  if constexpr (cuda::built)
    if (on_gpu()) return cuda::stream(device_.ordinal);
  throw internal_error("a context on {} has no CUDA stream", device_.to_string());
}

const cuda::ReductionBuffers& Context::reduction_buffers() const {
  if constexpr (cuda::built)
    if (!reductions_) {
      stream();  // makes the device current
      reductions_ = std::shared_ptr<const cuda::ReductionBuffers>(
          new cuda::ReductionBuffers(cuda::make_reduction_buffers()),
          [](const cuda::ReductionBuffers* buffers) {
            cuda::free_reduction_buffers(*buffers);
            delete buffers;
          });
    }
  return *reductions_;
}

void Context::synchronize() const {
  if constexpr (cuda::built)
    if (on_gpu()) {
      waited_for_device() = true;
      cuda::synchronize(device_.ordinal);
    }
}

void Context::throw_if_cancelled() const {
  if (cancelled()) throw Error(ErrorClass::cancelled, "interrupted");
}

}  // namespace larmor
