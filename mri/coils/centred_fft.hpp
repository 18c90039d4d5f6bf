#pragma once

#include <larmor/core/math/fft.hpp>

namespace larmor {

/// Moves index ⌊n/2⌋ of every axis to index 0 (or back, `to_centre`), out of place.
template <typename T>
void shift_origin(View<const T> in, View<T> out, bool to_centre) {
  const Shape& shape = in.shape();
  const Index line = shape[shape.rank() - 1], lines = in.size() / line;
  const auto moved = [&](Index i, Index extent) {
    const Index half = to_centre ? extent / 2 : extent - extent / 2;
    return (i + half) % extent;
  };
  for (Index l = 0; l < lines; ++l) {
    Index rest = l, target = 0, stride = 1;
    for (int axis = shape.rank() - 2; axis >= 0; --axis) {
      target += moved(rest % shape[axis], shape[axis]) * stride;
      rest /= shape[axis];
      stride *= shape[axis];
    }
    for (Index i = 0; i < line; ++i) out[target * line + moved(i, line)] = in[l * line + i];
  }
}

/// Unscaled transform of one image or k-space in place, both with their origin at index ⌊n/2⌋.
template <typename T>
void centred_fft(View<std::complex<T>> data, FftSign sign, Context& ctx) {
  using Scalar = std::complex<T>;
  Array<Scalar> shifted(data.shape());
  const FftPlan<T> plan(data.shape(), data.shape().rank());
  ctx.arena().reserve(plan.scratch_bytes(ctx));
  shift_origin<Scalar>(data, shifted, false);
  plan.execute(shifted, sign, ctx);
  shift_origin<Scalar>(shifted.view(), data, true);
}

}  // namespace larmor
