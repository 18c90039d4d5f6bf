#pragma once

#include <larmor/core/math/line_pass.hpp>
#include <larmor/core/parallel.hpp>

#include <complex>

namespace larmor::nufft {

/// Transforms along one axis of a zero-padded grid on a CPU, in place, for each of `outer` images of the
/// inner axes. place(i) is the start of the i-th, `stride` the distance in values between the elements of a
/// line. Towards the grid only the image part of a line is read, in the other direction only that part is
/// written. Each thread has two line buffers.
template <typename T, typename Place>
void transform_padded_lines(const LinePass<T>& lines, Index outer, const Place& place, Index stride,
                            bool to_grid, View<std::complex<T>> buffers, Context& ctx) {
  const Index blocks = lines.blocks();
  parallel_for(ctx, outer * blocks, 4, [&](Index begin, Index end, int thread) {
    std::complex<T>* in = buffers.slice(thread).data();
    std::complex<T>* out = in + lines.buffer_size();
    for (Index task = begin; task < end; ++task) {
      const Index block = task % blocks, count = lines.count(block);
      std::complex<T>* array = place(task / blocks) + lines.first(block);
      if (to_grid)
        lines.gather_pruned(array, stride, count, in);
      else
        lines.gather(array, stride, count, in);
      lines.transform(in, out, count, to_grid ? FftSign::forward : FftSign::backward);
      if (to_grid)
        lines.scatter(out, stride, count, array);
      else
        lines.scatter_pruned(out, stride, count, array);
    }
  });
}

}  // namespace larmor::nufft
