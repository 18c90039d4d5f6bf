#pragma once

#include <larmor/core/array.hpp>
#include <larmor/core/cuda/check.hpp>
#include <larmor/core/device.hpp>
#include <larmor/core/export.hpp>
#include <larmor/core/reporter.hpp>
#include <larmor/core/thread_pool.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace LARMOR_API larmor {

class Communicator;
namespace cuda {
struct ReductionBuffers;
}

/// Scratch memory of a context: reserved once, used as a stack, with stable addresses. Built with
/// LARMOR_SEPARATE_SCRATCH every take is a separate allocation filled with NaN.
class Arena {
 public:
  /// Empty; reserve() allocates memory.
  explicit Arena(Device device) : device_(device) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Makes room for `bytes` beyond what is in use. Throws Error (internal) if that would move memory in use.
  void reserve(std::size_t bytes);
  std::size_t capacity() const { return capacity_; }
  std::size_t in_use() const { return used_; }
  /// Bytes that a take of `bytes` occupies.
  static std::size_t rounded(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  /// Frees the reserved memory; nothing may be in use.
  void release();

 private:
  friend class Scratch;
  void* take(std::size_t bytes);
  void rewind(std::size_t used);

  Device device_;
  std::byte* memory_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  struct Separate {
    void* pointer;
    std::size_t bytes;
    std::size_t used_before;
  };
  std::vector<Separate> separate_;
};

/// Options of a Context.
struct ContextOptions {
  int threads = 0;               ///< 0: all processors available to this process
  bool deterministic = false;    ///< bit-identical results in every run and for any number of threads
  std::size_t memory_limit = 0;  ///< memory limit in bytes for the planner; 0: the available memory
  std::shared_ptr<Reporter> reporter = nullptr;  ///< receives messages; null: warnings go to stderr
  const std::atomic<bool>* cancel = nullptr;     ///< set from outside (Ctrl-C) to stop at the next safe point
};

/// Resources of a computation: device, threads, scratch memory, reporter. Use one for each thread of work.
class Context {
 public:
  /// Throws Error (resource) if the device cannot be used.
  explicit Context(Device device = Device::cpu(), ContextOptions options = {});
  /// On a device that another thread is starting: the first work on it waits, and throws Error (resource) if
  /// the device cannot be used.
  static Context starting(Device device, ContextOptions options);
  /// A context on the CPU with the same threads, reporter and options, for work on the host.
  Context host() const;

  /// The options given to the constructor.
  const Device& device() const { return device_; }
  bool on_gpu() const { return device_.on_gpu(); }
  int threads() const { return pool_->threads(); }
  ThreadPool& pool() const { return *pool_; }
  bool deterministic() const { return options_.deterministic; }
  /// Bytes that a reconstruction may use on the device: the given limit, otherwise what is available now.
  std::size_t memory_limit() const;
  Arena& arena() { return *arena_; }
  Reporter& reporter() const { return *options_.reporter; }
  bool cancelled() const { return options_.cancel && options_.cancel->load(std::memory_order_relaxed); }
  /// Throws Error (cancelled) if the user has asked to stop.
  void throw_if_cancelled() const;
  /// Ranks with the other parts of the vectors, see PartialVectors; null: vectors are whole.
  Communicator* vector_ranks() const { return vector_ranks_; }

  /// The stream for work on this context's CUDA device; makes the device current for this thread.
  cuda::Stream stream() const;
  /// Waits until all work on the device is done; returns at once on the CPU.
  void synchronize() const;
  /// Made when first used.
  const cuda::ReductionBuffers& reduction_buffers() const;

 private:
  friend class PartialVectors;
  Context(const Device& device, ContextOptions options, std::shared_ptr<ThreadPool> pool)
      : device_(device),
        options_(std::move(options)),
        pool_(std::move(pool)),
        arena_(std::make_unique<Arena>(device)) {}

  Device device_;
  ContextOptions options_;
  std::shared_ptr<ThreadPool> pool_;
  std::unique_ptr<Arena> arena_;
  mutable std::shared_ptr<const cuda::ReductionBuffers> reductions_;  // on a CUDA device only
  Communicator* vector_ranks_ = nullptr;
};

/// While it exists, inner products, norms and maxima of this context treat vectors as parts of longer ones,
/// of which other ranks have the rest: results are those of the whole vector, the same on all ranks. A solver
/// that uses only such results takes the same steps on every rank, each with its own part of the iterate.
class PartialVectors {
 public:
  /// ranks: borrowed; null: vectors are whole.
  PartialVectors(Context& ctx, Communicator* ranks)
      : ctx_(ctx), before_(std::exchange(ctx.vector_ranks_, ranks)) {}
  PartialVectors(const PartialVectors&) = delete;
  PartialVectors& operator=(const PartialVectors&) = delete;
  ~PartialVectors() { ctx_.vector_ranks_ = before_; }

 private:
  Context& ctx_;
  Communicator* before_;
};

/// A stack frame of the arena: views taken from it live as long as it does.
class Scratch {
 public:
  /// Remembers the top of the arena.
  explicit Scratch(Context& ctx) : arena_(ctx.arena()), device_(ctx.device()), start_(arena_.in_use()) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { arena_.rewind(start_); }

  /// An array that lives as long as this frame, uninitialised.
  template <typename T>
  View<T> take(const Shape& shape) {
    return View<T>(static_cast<T*>(arena_.take(static_cast<std::size_t>(shape.size()) * sizeof(T))), shape,
                   device_);
  }
  /// Bytes that take<T>(shape) occupies; operators add these up in scratch_bytes().
  template <typename T>
  static std::size_t bytes(const Shape& shape) {
    return Arena::rounded(static_cast<std::size_t>(shape.size()) * sizeof(T));
  }

 private:
  Arena& arena_;
  Device device_;
  std::size_t start_;
};

}  // namespace larmor
