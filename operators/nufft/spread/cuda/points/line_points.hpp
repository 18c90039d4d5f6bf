#pragma once

#include <larmor/operators/nufft/kernel/cuda/points.hpp>

#include <algorithm>

namespace larmor::nufft::cuda {

/// Points in one dimension, sorted within runs of the caller's samples. Passed to kernels by value.
template <typename T>
struct LinePoints {
  std::int64_t samples;
  std::int64_t run_samples;  ///< in each run but the last
  std::int32_t runs, cells, width, degree, stride;
  const T* coefficients;  ///< as in Points
  const T* offset;        ///< [samples]: u = 2 fraction − 1

  void set_sizes(const Points<T>& points) {
    samples = points.samples;
    cells = points.grid[0];
    width = points.width;
    degree = points.degree;
    stride = points.stride;
    coefficients = points.coefficients;
  }
  /// Divides samples into runs of about `run`, but not more than `most` runs.
  void split(std::int64_t run, std::int64_t most) {
    const std::int64_t wanted =
        std::clamp<std::int64_t>((samples + run - 1) / run, 1, std::max<std::int64_t>(1, most));
    run_samples = std::max<std::int64_t>(1, (samples + wanted - 1) / wanted);
    runs = static_cast<std::int32_t>(std::max<std::int64_t>(1, (samples + run_samples - 1) / run_samples));
  }
};

}  // namespace larmor::nufft::cuda
