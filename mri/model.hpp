#pragma once

#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>

namespace larmor {

/// The model of a parallel non-Cartesian scan (Pruessmann et al. 2001): image → coil images → samples.
/// domain [(z,) y, x], codomain [coil, samples]; maps [coil, (z,) y, x] refer to the same channels as the
/// samples. The model lives on the context's device, wherever trajectory and maps are. Nufft carries the
/// factor 1/√N: with samples in units of the plain sum the solution is √N times the image.
template <typename T>
Composition<T> sense_model(View<const double> trajectory, View<const std::complex<T>> maps,
                           NufftOptions options, Context& ctx) {
  options.batch = maps.shape()[0];
  return Nufft<T>(trajectory, maps.shape().drop_front(1), options, ctx) *
         CoilMaps<T>(copied_to(ctx.device(), maps));
}

/// The same for a transform that several images share.
template <typename T>
Composition<T> sense_model(const Nufft<T>& nufft, const CoilMaps<T>& maps) {
  return nufft * maps;
}

}  // namespace larmor
