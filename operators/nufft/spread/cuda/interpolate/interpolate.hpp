#pragma once

#include <larmor/core/cuda/check.hpp>
#include <larmor/operators/nufft/kernel/cuda/points.hpp>

#include <complex>

namespace larmor::nufft::cuda {

/// samples_p = weights_p · Σ kernel · grid (or += with accumulate), in the caller's order.
/// samples [coils][sample_stride]; weights [samples] in the caller's order or null.
template <typename T>
void interpolate(const Points<T>& points, const std::complex<T>* grid, std::complex<T>* samples,
                 std::int64_t sample_stride, const T* weights, const Coils& coils, bool accumulate,
                 larmor::cuda::Stream stream);

/// The best bins (cells along x, y, z) for interpolation: the largest for which two tiles fit in the shared
/// memory of a multiprocessor, `shared_bytes`, or one tile if two would be too small.
template <typename T>
void preferred_bins(int dims, int width, int lanes, std::int64_t shared_bytes, std::int32_t (&bin)[3]);

}  // namespace larmor::nufft::cuda
