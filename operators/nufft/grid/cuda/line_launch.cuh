#pragma once

#include <larmor/core/cuda/launch_early.cuh>
#include <larmor/core/math/cuda/line_fft.cuh>
#include <larmor/operators/nufft/grid/cuda/line_passes.hpp>

#include <type_traits>

namespace larmor::nufft::cuda {

/// Calls body(std::type_identity<Line>) with the transform for a length.
template <typename T, bool skewed, typename Body>
void with_line(int length, const Body& body) {
  switch (length) {
#define LARMOR_CASE(R1, R2, R3, threads) \
  case R1* R2* R3:                       \
    return body(std::type_identity<larmor::cuda::FixedLine<T, R1, R2, R3, threads, skewed>>{});
    LARMOR_FIXED_LINES(LARMOR_CASE)
#undef LARMOR_CASE
    default:
      return body(std::type_identity<larmor::cuda::AnyLine<T>>{});
  }
}

/// Lines per tile: 128 bytes of neighbouring values, or fewer if the tile would not fit into shared memory.
template <typename T, typename Line>
int tile_columns_log2(int length) {
  if constexpr (!std::is_same_v<Line, larmor::cuda::AnyLine<T>>) {
    return Line::columns_log2();
  } else {
    int log2 = sizeof(T) == 4 ? 4 : 3;
    const auto limit =
        static_cast<std::size_t>(larmor::cuda::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    // Two blocks per multiprocessor are better than one, unless a tile would then have fewer than four lines.
    while (log2 > 2 && Line::bytes(length, log2) > limit / 2 - 2048) --log2;
    while (log2 > 0 && Line::bytes(length, log2) > limit - 4096) --log2;
    return log2;
  }
}

template <typename T, typename Line, typename Kernel, typename... Arguments>
void launch(Kernel* kernel, const char* name, std::int64_t tiles, int depth, std::size_t bytes,
            int columns_log2, larmor::cuda::Stream stream, const Arguments&... arguments) {
  larmor::cuda::allow_shared_bytes(kernel, bytes);
  const auto whole =
      static_cast<double>(larmor::cuda::device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  const double wanted = 100 * Line::blocks * (static_cast<double>(bytes) + 2048) / whole;
  larmor::cuda::check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                           wanted < 100 ? static_cast<int>(wanted) + 1 : 100),
                      "asking for shared memory");
  const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(depth));
  larmor::cuda::check_launch(name, larmor::cuda::launch_early(kernel, grid, Line::threads, bytes, stream,
                                                              arguments..., columns_log2));
}

}  // namespace larmor::nufft::cuda
