#pragma once

#include <larmor/core/cuda/check.hpp>

#include <complex>
#include <cstddef>
#include <cstdint>

// Brings the values of sorted points to the caller's order. A value that is written alone fills a part of a
// sector of memory, for which the whole of it is read and written. So values go by way of groups of
// neighbouring samples: points that are worked on together find places in a group next to each other, and
// samples gather their values from a group that the second-level cache holds.
namespace larmor::nufft::cuda {

/// Tables in device memory; passed to kernels by value. Empty: values are written where they belong.
struct SampleGroups {
  const std::uint32_t* place = nullptr;      ///< [samples]: of the value of point p, group by group
  const std::uint32_t* of_sample = nullptr;  ///< [samples]: the place of a sample's value
  bool empty() const { return place == nullptr; }
};

/// Whether samples take more memory than second-level caches have.
constexpr bool groups_suit(std::int64_t samples, std::size_t bytes_of_value) {
  return static_cast<std::size_t>(samples) * bytes_of_value > std::size_t{48} << 20;
}

/// The sample of each point, in device memory: the lowest `bits` bits of of[point].
struct SampleOrder {
  const std::uint32_t* of;
  int bits;
};
/// Whether samples of points that follow each other mostly lie far apart, of some points. Waits for the
/// stream; *found is in device memory.
bool samples_lie_apart(const SampleOrder& order, std::int64_t samples, std::int64_t* found,
                       larmor::cuda::Stream stream);

/// Device memory of the tables, and what finding them needs beside it.
std::size_t sample_group_bytes(std::int64_t samples);
std::size_t sample_group_scratch_bytes(std::int64_t samples);

/// Of at least one sample.
SampleGroups group_samples(const SampleOrder& order, std::int64_t samples, void* tables, void* scratch,
                           larmor::cuda::Stream stream);

/// samples_s = weights_s · values[place of s], or += with accumulate. weights may be null.
template <typename T>
void ungroup_samples(const SampleGroups& groups, std::int64_t count, const std::complex<T>* values,
                     std::complex<T>* samples, const T* weights, bool accumulate,
                     larmor::cuda::Stream stream);

}  // namespace larmor::nufft::cuda
