#pragma once

#include <larmor/core/cuda/check.hpp>

#include <cub/device/device_radix_sort.cuh>

#include <cstddef>
#include <cstdint>

// Shared by the sorts of points.
namespace larmor::nufft::cuda {
namespace {

constexpr int sort_threads = 256;

inline unsigned sort_blocks(std::int64_t items, int items_of_thread = 1) {
  const int of_block = sort_threads * items_of_thread;
  return static_cast<unsigned>((items + of_block - 1) / of_block);
}

// Bits needed to distinguish values below `values`: a radix sort makes one pass for every eight of them.
constexpr int bits_of(std::int64_t values) {
  int bits = 1;
  while (bits < 32 && (std::int64_t{1} << bits) < values) ++bits;
  return bits;
}

// Consecutive arrays in one piece of memory.
class Pieces {
 public:
  explicit Pieces(void* memory) : memory_(static_cast<char*>(memory)) {}
  template <typename U>
  U* take(std::int64_t count) {
    U* pointer = reinterpret_cast<U*>(memory_ + bytes_);
    bytes_ += (static_cast<std::size_t>(count) * sizeof(U) + 255) / 256 * 256;
    return pointer;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  char* memory_;
  std::size_t bytes_ = 0;
};

// Keys and values that are filled in and then sorted by bits of the keys; equal keys keep their order.
template <typename Key, typename Value>
class PairSort {
 public:
  /// bits: maximum number of key bits of one sort
  PairSort(std::int64_t count, int bits, Pieces& pieces)
      : count_(static_cast<int>(count)),
        keys_(pieces.take<Key>(count), pieces.take<Key>(count)),
        values_(pieces.take<Value>(count), pieces.take<Value>(count)) {
    larmor::cuda::check(
        cub::DeviceRadixSort::SortPairs(nullptr, work_bytes_, keys_, values_, count_, 0, bits),
        "planning to sort NUFFT points");
    work_ = pieces.take<char>(static_cast<std::int64_t>(work_bytes_));
  }

  Key* keys() const { return keys_.d_buffers[keys_.selector]; }
  Value* values() const { return values_.d_buffers[values_.selector]; }
  void sort(int first_bit, int end_bit, larmor::cuda::Stream stream) {
    larmor::cuda::check(cub::DeviceRadixSort::SortPairs(work_, work_bytes_, keys_, values_, count_, first_bit,
                                                        end_bit, stream),
                        "sorting NUFFT points");
  }

 private:
  int count_;
  cub::DoubleBuffer<Key> keys_;
  cub::DoubleBuffer<Value> values_;
  char* work_;
  std::size_t work_bytes_ = 0;
};

// start[v], v = 0 … values: the number of sorted keys whose upper bits are below v, found by bisection.
template <typename Key>
__global__ void find_starts(const Key* __restrict__ sorted, int lowest_bits, std::int64_t count,
                            std::int64_t values, std::int32_t* __restrict__ start) {
  const std::int64_t v = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x;
  if (v > values) return;
  std::int64_t low = 0, high = count;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (sorted[middle] >> lowest_bits < v)
      low = middle + 1;
    else
      high = middle;
  }
  start[v] = static_cast<std::int32_t>(low);
}

}  // namespace
}  // namespace larmor::nufft::cuda
