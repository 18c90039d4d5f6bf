#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/cuda/staged_copy.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace larmor::cuda {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr std::size_t least_bytes = 8 * piece_bytes;
constexpr unsigned most_threads = 8, pieces_a_thread = 2;

// Page-locked pieces for all threads, kept for the next copy; null if there is no memory for them.
std::byte* pieces() {
  static std::byte* const memory = [] {
    void* found = nullptr;
    const std::size_t bytes = most_threads * pieces_a_thread * piece_bytes;
    if (cudaHostAlloc(&found, bytes, cudaHostAllocPortable) != cudaSuccess) {
      cudaGetLastError();
      found = nullptr;
    }
    return static_cast<std::byte*>(found);
  }();
  return memory;
}

// One copy at a time uses the pieces.
std::mutex pieces_mutex;

struct Copy {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
  bool to_device;
  int ordinal;
  Stream stream;
  std::atomic<std::size_t> next{0};
  std::atomic<int> failure{cudaSuccess};
};

// A page-locked piece, and its data in transfer.
class Piece {
 public:
  explicit Piece(std::byte* memory) : memory_(memory) {}
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  ~Piece() {
    if (passed_ != nullptr) cudaEventDestroy(passed_);
  }

  cudaError_t begin(Copy& copy, std::size_t at) {
    if (passed_ == nullptr)
      if (const cudaError_t made = cudaEventCreateWithFlags(&passed_, cudaEventDisableTiming)) return made;
    at_ = at;
    bytes_ = std::min(piece_bytes, copy.bytes - at);
    if (copy.to_device) std::memcpy(memory_, copy.from + at, bytes_);
    if (const cudaError_t started = cudaMemcpyAsync(copy.to_device ? copy.to + at : memory_,
                                                    copy.to_device ? memory_ : copy.from + at, bytes_,
                                                    cudaMemcpyDefault, copy.stream))
      return started;
    under_way_ = true;
    return cudaEventRecord(passed_, copy.stream);
  }
  cudaError_t end(Copy& copy) {
    if (!under_way_) return cudaSuccess;
    under_way_ = false;
    if (const cudaError_t waited = cudaEventSynchronize(passed_)) return waited;
    if (!copy.to_device) std::memcpy(copy.to + at_, memory_, bytes_);
    return cudaSuccess;
  }

 private:
  std::byte* memory_;
  cudaEvent_t passed_ = nullptr;
  std::size_t at_ = 0, bytes_ = 0;
  bool under_way_ = false;
};

void work(Copy& copy, std::byte* memory) noexcept {
  static_assert(pieces_a_thread == 2);
  std::array<Piece, 2> own{Piece(memory), Piece(memory + piece_bytes)};
  cudaError_t status = cudaSetDevice(copy.ordinal);
  const auto next = [&] { return copy.next.fetch_add(piece_bytes, std::memory_order_relaxed); };
  std::size_t turn = 0;
  for (std::size_t at; status == cudaSuccess && (at = next()) < copy.bytes; ++turn) {
    Piece& piece = own[turn % own.size()];
    status = piece.end(copy);
    if (status == cudaSuccess) status = piece.begin(copy, at);
  }
  for (std::size_t i = 0; i < own.size(); ++i, ++turn)
    if (const cudaError_t ended = own[turn % own.size()].end(copy); status == cudaSuccess) status = ended;
  if (status == cudaSuccess) return;
  copy.failure = status;
  copy.next = copy.bytes;
}

}  // namespace

bool worth_staging(const void* host, std::size_t bytes) {
  if (bytes < least_bytes || std::thread::hardware_concurrency() < 2) return false;
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, host) != cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  return attributes.type == cudaMemoryTypeUnregistered;
}

void staged_copy(void* to, const void* from, std::size_t bytes, bool to_device, int ordinal, Stream stream) {
  const std::lock_guard lock(pieces_mutex);
  std::byte* const memory = pieces();
  if (memory == nullptr) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "copying memory");
    return check(cudaStreamSynchronize(stream), "copying memory");
  }
  Copy copy{
      static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes, to_device, ordinal, stream};
  const std::size_t useful = (bytes + piece_bytes - 1) / piece_bytes / pieces_a_thread;
  const auto threads = static_cast<unsigned>(std::min<std::size_t>(
      {most_threads, std::thread::hardware_concurrency(), std::max<std::size_t>(1, useful)}));
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) try {
      others.emplace_back([&copy, own = memory + i * pieces_a_thread * piece_bytes] { work(copy, own); });
    } catch (const std::system_error&) {  // the other threads copy everything
      break;
    }
  work(copy, memory);
  for (std::thread& other : others) other.join();
  check(copy.failure, "copying memory");
}

}  // namespace larmor::cuda
