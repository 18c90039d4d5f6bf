#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/nufft/cuda/lattice.cuh>

#include <cub/device/device_radix_sort.cuh>

#include <cstddef>
#include <cstdint>

// Sorting of points in one dimension: by runs of the caller's samples, whose values the second-level cache
// holds, and within a run by blocks of 2^shift cells.
namespace larmor::nufft::cuda {

struct LineOrder {
  std::int64_t samples, run_samples;  ///< in each run but the last
  std::int32_t runs, cells, width;
  int shift;

  std::int32_t keys_of_run() const { return (cells + (1 << shift) - 1) >> shift; }
  std::int64_t keys() const { return std::int64_t{runs} * keys_of_run(); }
  int key_bits() const {
    int bits = 1;
    while (bits < 32 && (std::int64_t{1} << bits) < keys()) ++bits;
    return bits;
  }
  Lattice lattice() const {
    return {1, {static_cast<double>(cells), 1, 1}, 0.5 * width, {cells, 1, 1}, {1, 1, 1}, {cells, 1, 1}};
  }
};

namespace {

constexpr int line_threads = 256;

inline unsigned line_blocks(std::int64_t items) {
  return static_cast<unsigned>((items + line_threads - 1) / line_threads);
}

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + 255) / 256 * 256;
}

// Consecutive arrays in one piece of memory.
class Pieces {
 public:
  explicit Pieces(void* memory) : memory_(static_cast<char*>(memory)) {}
  template <typename U>
  U* take(std::int64_t count) {
    U* pointer = reinterpret_cast<U*>(memory_ + bytes_);
    bytes_ += aligned(static_cast<std::size_t>(count) * sizeof(U));
    return pointer;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  char* memory_;
  std::size_t bytes_ = 0;
};

__global__ void find_keys(const double* __restrict__ coordinates, const __grid_constant__ Lattice lattice,
                          const __grid_constant__ LineOrder order, std::int32_t keys_of_run,
                          std::uint32_t* __restrict__ key_of, std::int32_t* __restrict__ index,
                          unsigned long long* not_finite) {
  const std::int64_t j = std::int64_t{blockIdx.x} * line_threads + threadIdx.x;
  if (j >= order.samples) return;
  double k = coordinates[j], fraction;
  if (!isfinite(k)) {
    // −1 is the largest unsigned number, so the minimum is the first such sample.
    atomicMin(not_finite, static_cast<unsigned long long>(j));
    k = 0;
  }
  key_of[j] = static_cast<std::uint32_t>(j / order.run_samples) * keys_of_run +
              (first_cell(lattice, 0, k, fraction) >> order.shift);
  index[j] = static_cast<std::int32_t>(j);
}

/// Memory for sorting; afterwards the sorted keys and samples.
class LineSort {
 public:
  LineSort(const LineOrder& order, Pieces& pieces) : order_(order) {
    for (auto& keys : keys_) keys = pieces.take<std::uint32_t>(order.samples);
    for (auto& index : index_) index = pieces.take<std::int32_t>(order.samples);
    cub::DoubleBuffer<std::uint32_t> keys;
    cub::DoubleBuffer<std::int32_t> values;
    larmor::cuda::check(cub::DeviceRadixSort::SortPairs(nullptr, work_bytes_, keys, values, order.samples, 0,
                                                        order.key_bits()),
                        "planning to sort NUFFT points");
    work_ = pieces.take<char>(static_cast<std::int64_t>(work_bytes_));
  }

  /// *not_finite becomes the first sample that is not finite, or −1.
  void run(const double* coordinates, std::int64_t* not_finite, larmor::cuda::Stream stream) {
    using larmor::cuda::check;
    check(cudaMemsetAsync(not_finite, 0xff, sizeof *not_finite, stream), "clearing a flag");
    find_keys<<<line_blocks(order_.samples), line_threads, 0, stream>>>(
        coordinates, order_.lattice(), order_, order_.keys_of_run(), keys_[0], index_[0],
        reinterpret_cast<unsigned long long*>(not_finite));
    larmor::cuda::check_launch("find_keys");
    cub::DoubleBuffer<std::uint32_t> keys(keys_[0], keys_[1]);
    cub::DoubleBuffer<std::int32_t> values(index_[0], index_[1]);
    check(cub::DeviceRadixSort::SortPairs(work_, work_bytes_, keys, values, order_.samples, 0,
                                          order_.key_bits(), stream),
          "sorting NUFFT points");
    sorted_keys_ = keys.Current();
    sorted_index_ = values.Current();
  }
  const std::uint32_t* keys() const { return sorted_keys_; }
  const std::int32_t* index() const { return sorted_index_; }

 private:
  LineOrder order_;
  std::uint32_t* keys_[2];
  std::int32_t* index_[2];
  char* work_;
  std::size_t work_bytes_ = 0;
  const std::uint32_t* sorted_keys_ = nullptr;
  const std::int32_t* sorted_index_ = nullptr;
};

}  // namespace
}  // namespace larmor::nufft::cuda
