#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/model/off_resonance.hpp>
#include <larmor/mri/model/subspace.hpp>
#include <larmor/mri/scan/frames.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <vector>

namespace LARMOR_API larmor {

// From the data of one image or of a series of frames to one linear problem: which of the models of model.hpp
// describes it.

/// A field map of its own.
struct FieldArrays {
  Array<float> frequency, decay, weight;
  FieldMap view() const;
};

/// The field map of a slice on the solve grid. given.frequency: [(z,) y, x] of the recon or of the solve
/// grid, or one such map a slice, [slices, y, x], of which the one at `position` is taken. On a larger solve
/// grid the outermost values go on, with weight 0. Throws Error (input) naming the shapes when it has neither
/// grid.
FieldArrays field_on_solve_grid(const FieldMap& given, const Grids& grids, Index slices, Index position);

/// References are borrowed for the length of a call.
struct SeriesOptions {
  NufftOptions nufft;  ///< batch is set from the maps
  /// Of the solve grid; needs the samples' times.
  const FieldMap* field = nullptr;
  SegmentOptions segments;
  /// The frames are the basis's echoes, in their order: coefficient images are solved for instead of frames.
  const SubspaceBasis* basis = nullptr;
  /// Take stacks of stars or spirals apart into slices, where the problem has neither field map nor basis.
  bool decouple_slices = true;
  /// Compress a stack's coils to so many slice by slice (geometric_compression); 0: not.
  Index geometric_coils = 0;
};

struct SeriesReport {
  Index segments = 0;          ///< of the field map; 0: none
  double centre_hz = 0;        ///< the frequency that the segments are about
  SegmentError segment_error;  ///< against exact exponentials
  bool slices_decoupled = false;
};

template <typename T>
struct SeriesProblem {
  /// domain [(z,) y, x] of one frame, [frames…, (z,) y, x] of several, [coefficients, (z,) y, x] with a
  /// basis.
  OperatorPtr<T> model;
  Array<std::complex<T>> samples;  ///< model's codomain, on the context's device, times √weights
  SeriesReport report;
};

/// frames: their data; `weights` are the density of the objective (empty: 1), `times` is needed with a field
/// map. shape: the axes of the series, of as many entries as there are frames; {} for a single image. maps
/// are those of the context's device. Throws Error: input when the basis has another number of echoes than
/// there are frames, the field map another grid than the coil maps, or geometric compression no stack; usage
/// as geometric_compression.
template <typename T>
SeriesProblem<T> series_problem(const std::vector<PreparedImage>& frames, const Shape& shape,
                                const CoilMaps<T>& maps, const SeriesOptions& options, Context& ctx);

}  // namespace larmor
