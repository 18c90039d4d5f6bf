#include <larmor/core/vectors/for_each.hpp>
#include <larmor/operators/elementwise_kernels.hpp>
#include <larmor/operators/shifted_copy.hpp>

namespace larmor {
namespace {

// shift_of(axis): from an index of `out` to that of `in`.
template <typename T, typename ShiftOf>
void shifted_copy(View<const std::complex<T>> in, View<std::complex<T>> out, bool wrap, double factor,
                  Context& ctx, Write write, const ShiftOf& shift_of) {
  if (out.size() == 0) return;
  ShiftedCopy<T> body{};
  body.rank = out.shape().rank();
  for (int axis = 0; axis < body.rank; ++axis) {
    body.out_extent[axis] = out.shape()[axis];
    body.in_extent[axis] = in.shape()[axis];
    body.shift[axis] = shift_of(axis);
  }
  body.wrap = wrap;
  body.in = complex_values(in.data());
  body.out = complex_values(out.data());
  body.factor = static_cast<T>(factor);
  body.accumulate = write == Write::accumulate;
  const Index width = out.shape()[body.rank - 1];
  for_each_in_rows(ctx, out.size() / width, width, body);
}

}  // namespace

template <typename T>
void copy_centred(View<const std::complex<T>> in, View<std::complex<T>> out, Context& ctx, Write write) {
  shifted_copy<T>(in, out, false, 1, ctx, write,
                  [&](int axis) { return in.shape()[axis] / 2 - out.shape()[axis] / 2; });
}

template <typename T>
void copy_rolled(View<const std::complex<T>> in, View<std::complex<T>> out, int rank, bool to_origin,
                 double factor, Context& ctx, Write write) {
  shifted_copy<T>(in, out, true, factor, ctx, write, [&](int axis) {
    const Index extent = in.shape()[axis], shift = to_origin ? extent / 2 : extent - extent / 2;
    return axis >= in.shape().rank() - rank ? shift % extent : 0;
  });
}

#define LARMOR_INSTANTIATE(T)                                                                         \
  template void copy_centred<T>(View<const std::complex<T>>, View<std::complex<T>>, Context&, Write); \
  template void copy_rolled<T>(View<const std::complex<T>>, View<std::complex<T>>, int, bool, double, \
                               Context&, Write);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
