#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/model/off_resonance.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/basis_nufft.hpp>
#include <larmor/operators/nufft/nufft.hpp>
#include <larmor/operators/reshaped.hpp>
#include <larmor/operators/stacks.hpp>

#include <algorithm>
#include <vector>

namespace LARMOR_API larmor {

// Models of a scan as products of operators. All are on the context's device, for trajectories and maps on
// any device; maps [coil, (z,) y, x] refer to the same channels as the samples. Nufft and BasisNufft include
// the factor 1/√N: for samples in units of the plain sum the solution is √N times the image.

/// The model of a parallel non-Cartesian scan (Pruessmann et al. 2001): image → coil images → samples.
/// domain [(z,) y, x], codomain [coil, samples].
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

/// The same for several map sets, each with its own image (soft SENSE, Uecker et al. 2014): domain [sets,
/// (z,) y, x]. For one set it is the model above.
template <typename T>
Operator<T> sense_model(const Nufft<T>& nufft, const std::vector<CoilMaps<T>>& sets) {
  if (sets.size() == 1) return sense_model(nufft, sets.front());
  std::vector<Operator<T>> columns;
  for (const CoilMaps<T>& maps : sets) columns.push_back(maps);
  return nufft * HStack<T>(columns);
}

/// A model that processes `block` coils at a time, for coil images or samples that do not fit into memory
/// together: a vertical stack of make(maps of some coils of every set, their number). Samples are on the
/// device that `placement` gives, maps stay where they are. codomain [coil, samples].
template <typename T, typename Make>
Operator<T> in_coil_blocks(const std::vector<CoilMaps<T>>& sets, Index block, Placement placement,
                           const Make& make) {
  const Index coils = sets.front().codomain()[0];
  std::vector<Operator<T>> rows;
  for (Index first = 0; first < coils; first += block) {
    const Index count = std::min(block, coils - first);
    std::vector<CoilMaps<T>> part;
    for (const CoilMaps<T>& maps : sets) part.push_back(maps.coils(first, count));
    rows.push_back(make(part, count));
  }
  const Shape domain = rows.front().domain(), samples = rows.front().codomain().drop_front(1);
  return Reshaped<T>(VStack<T>(rows, placement), domain, samples.prepend(coils));
}

template <typename T>
Operator<T> sense_model_in_blocks(const Nufft<T>& nufft, const std::vector<CoilMaps<T>>& sets, Index block,
                                  Placement placement) {
  return in_coil_blocks<T>(sets, block, placement, [&](const std::vector<CoilMaps<T>>& part, Index count) {
    return sense_model<T>(nufft.with_batch(count), part);
  });
}

/// Images C_l of time segments as an operator: image → segment images.
template <typename T>
CoilMaps<T> segment_images(const TimeSegments& segments, Context& ctx) {
  return CoilMaps<T>(moved_to(ctx.device(), converted<std::complex<T>>(segments.images.view())));
}

/// With off-resonance: image → segment images → their coil images → samples. interpolators [samples,
/// segments] and segments are those of TimeSegments. domain [(z,) y, x], codomain [coil, samples].
template <typename T>
Composition<T> off_resonance_model(View<const double> trajectory,
                                   View<const std::complex<double>> interpolators,
                                   const CoilMaps<T>& segments, const CoilMaps<T>& maps, NufftOptions options,
                                   Context& ctx, View<const double> density = {}) {
  options.batch = maps.codomain()[0];
  return BasisNufft<T>(trajectory, density, interpolators, maps.domain(), options, ctx) *
         Batched<T>(maps, segments.codomain()[0]) * segments;
}

/// Subspace model of a series (Tamir et al. 2017): coefficient images → their coil images → samples. basis
/// [samples, coefficients] holds for each sample the row of the temporal basis at its time. domain
/// [coefficients, (z,) y, x], codomain [coil, samples].
template <typename T>
Composition<T> subspace_model(View<const double> trajectory, View<const std::complex<double>> basis,
                              const CoilMaps<T>& maps, NufftOptions options, Context& ctx,
                              View<const double> density = {}) {
  options.batch = maps.codomain()[0];
  return BasisNufft<T>(trajectory, density, basis, maps.domain(), options, ctx) *
         Batched<T>(maps, basis.shape()[1]);
}

/// Simultaneous multi-slice: images of the bands → their coil images → samples, the sum over bands, each
/// multiplied by its factors (Larkman et al. 2001). transform: a BasisNufft with the factors [samples, bands]
/// as its basis; maps: of each band. domain [bands, y, x], codomain [coil, samples].
template <typename T>
Composition<T> multiband_model(const BasisNufft<T>& transform, const std::vector<CoilMaps<T>>& maps) {
  const auto bands = static_cast<Index>(maps.size());
  const BlockDiag<T> coils(std::vector<Operator<T>>(maps.begin(), maps.end()));
  return transform *
         Reshaped<T>(coils, maps.front().domain().prepend(bands), maps.front().codomain().prepend(bands));
}

/// The same for maps [bands, coil, y, x].
template <typename T>
Composition<T> multiband_model(View<const double> trajectory, View<const std::complex<double>> factors,
                               View<const std::complex<T>> maps, NufftOptions options, Context& ctx,
                               View<const double> density = {}) {
  options.batch = maps.shape()[1];
  std::vector<CoilMaps<T>> bands;
  for (Index b = 0; b < maps.shape()[0]; ++b) bands.emplace_back(copied_to(ctx.device(), maps.slice(b)));
  return multiband_model<T>(
      BasisNufft<T>(trajectory, density, factors, maps.shape().drop_front(2), options, ctx), bands);
}

/// A series of frames, each with its own model; all models have the same domain. frames: the axes of the
/// series, whose product is the number of models. domain [frames…, (z,) y, x], codomain flat: the samples
/// [coil, samples] of the frames in order.
template <typename T>
Reshaped<T> series_model(const std::vector<Operator<T>>& models, const Shape& frames) {
  Shape domain = models.front().domain();
  const BlockDiag<T> series(models);
  for (int axis = frames.rank(); axis-- > 0;) domain = domain.prepend(frames[axis]);
  return Reshaped<T>(series, domain, series.codomain());
}

}  // namespace larmor
