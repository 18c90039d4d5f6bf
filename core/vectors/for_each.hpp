#pragma once

#include <larmor/core/export.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/vectors/cuda/for_each.hpp>

#include <algorithm>

#ifdef __CUDACC__
#include <larmor/core/vectors/cuda/for_each.cuh>
#endif

namespace LARMOR_API larmor {

// One loop body for both devices. A body is a small struct of pointers and numbers with a `name`, whose
// functions are LARMOR_HOST_DEVICE (core/cuda/host_device.hpp); elements are independent of each other, so
// the result has the same bits on all devices with the same arithmetic. A source compiled by nvcc needs only
// the loop. If another compiler sees the loop and the library has CUDA, a source for nvcc has to instantiate
// cuda::for_each for the body: it includes core/vectors/cuda/for_each.cuh and has template void
// larmor::cuda::for_each<MyBody>(const MyBody&, std::int64_t, larmor::cuda::Stream);

/// body(i) for i in [0, n). A body may provide run(first, last), which the CPU calls instead, for loops that
/// are faster in another order.
template <typename Body>
void for_each(Context& ctx, Index n, const Body& body) {
  if constexpr (cuda::built)
    if (ctx.on_gpu()) return cuda::for_each(body, n, ctx.stream());
  parallel_for(ctx, n, 1 << 12, [&](Index begin, Index end, int) {
    if constexpr (requires { body.run(begin, end); })
      body.run(begin, end);
    else
      for (Index i = begin; i < end; ++i) body(i);
  });
}

/// body.line(row)(x) for every row and x in [0, width): values that depend only on the row are computed once.
/// A line may also provide run(first, last).
template <typename Body>
void for_each_in_rows(Context& ctx, Index rows, Index width, const Body& body) {
  if constexpr (cuda::built)
    if (ctx.on_gpu()) return cuda::for_each_in_rows(body, rows, width, ctx.stream());
  // Long rows are split, short ones grouped.
  const Index length = std::min<Index>(width, 1 << 12),
              parts = length > 0 ? (width + length - 1) / length : 0;
  const Index grain = std::max<Index>(1, (1 << 12) / std::max<Index>(length, 1));
  parallel_for(ctx, rows * parts, grain, [&](Index begin, Index end, int) {
    for (Index part = begin; part < end; ++part) {
      const auto line = body.line(part / parts);
      const Index first = part % parts * length, last = std::min(first + length, width);
      if constexpr (requires { line.run(first, last); })
        line.run(first, last);
      else
        for (Index x = first; x < last; ++x) line(x);
    }
  });
}

}  // namespace larmor
