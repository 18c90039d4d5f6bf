#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>
#include <larmor/mri/model/field_map.hpp>
#include <larmor/mri/model/subspace.hpp>
#include <larmor/mri/scan/frames.hpp>
#include <larmor/mri/scan/prepare_image.hpp>
#include <larmor/operators/coil_maps.hpp>
#include <larmor/operators/nufft/nufft.hpp>

#include <memory>
#include <vector>

namespace LARMOR_API larmor {

// Builds one linear problem from the data of one image or of a series of frames, choosing among the models of
// sense.hpp.

/// The time segments of a field map for all frames of a series, for the frames' samples in order.
struct FrameSegments {
  TimeSegments segments;
  SegmentError error;  ///< compared with exact exponentials
};
/// Throws Error as time_segments does.
FrameSegments segments_of_frames(const std::vector<PreparedImage>& frames, const FieldMap& field,
                                 const SegmentOptions& options, Context& ctx);

/// The part of a problem that the data belong to, if other ranks have the rest. Transforms are planned for
/// the whole problem, so that every division uses the same ones.
struct PartOfProblem {
  Index coils_before = 0;
  Index all_coils = 0;  ///< 0: these are all
};

/// A contiguous run of samples in a part of a problem, and its position in the whole problem.
struct SampleRun {
  Index first = 0;  ///< in the whole problem
  Index count = 0;
};

/// References are not owned and must stay valid during a call.
struct SeriesOptions {
  NufftOptions nufft;  ///< batch is set from the maps
  PartOfProblem part;
  /// segments_of_frames() of a field map on the solve grid; null: none.
  const FrameSegments* segments = nullptr;
  /// Temporal basis whose echoes are the frames, in order: the unknowns are coefficient images instead of
  /// frames.
  const SubspaceBasis* basis = nullptr;
  /// Number of coils that are transformed at a time, with samples and maps in host memory; 0: all. With a
  /// field map or a basis, a divisor of their number.
  Index coil_block = 0;
  /// Fill SeriesProblem::root_density, SeriesProblem::map_energy.
  bool keep_root_density = false, keep_map_energy = false;
};

/// A model and its data.
template <typename T>
struct SeriesProblem {
  /// domain [U…] for one frame, [frames…, U…] for several, [coefficients, U…] with a basis, where U… is [(z,)
  /// y, x], preceded by the number of map sets or bands if there are several, or by the number of coils if
  /// there are no maps.
  OperatorPtr<T> model;
  /// In the model's codomain, on the context's device, multiplied by √weights.
  Array<std::complex<T>> samples;
  /// Transforms of the frames, if the model contains them; another problem with the same trajectories can
  /// reuse them.
  std::vector<Nufft<T>> transforms;
  double weight = 0;      ///< Σ weights of the samples
  Array<T> root_density;  ///< √weights of every sample, in the order of `samples`, in host memory; empty: 1
  /// Σ|m|² over the coils of the model, [(z,) y, x], preceded by the number of map sets or bands if there are
  /// several, in host memory.
  Array<double> map_energy;
  /// Positions of the samples among those of the whole problem, as contiguous runs in order.
  std::vector<SampleRun> runs;
  /// Ranks that hold the other rows of the model; null if this rank has all of them.
  std::shared_ptr<Communicator> ranks;
};

/// frames: their data; `weights` are the density of the objective (empty: 1), `times` is needed with a field
/// map. shape: the axes of the series, whose product is the number of frames; {} for a single image. sets:
/// coil maps on the context's device, one for each set, which has its own image, or one for each band of the
/// frames; none: the unknowns are the coils' images of shape `image`. transforms: those of an earlier problem
/// with the same trajectories, weights and options; empty: new ones are made. Throws Error: input if the
/// numbers of frames and of the basis's echoes differ, of bands' maps and factors differ, or if the grids of
/// field map and coil maps differ.
template <typename T>
SeriesProblem<T> series_problem(std::vector<PreparedImage> frames, const Shape& shape, const Shape& image,
                                const std::vector<CoilMaps<T>>& sets, const SeriesOptions& options,
                                Context& ctx, const std::vector<Nufft<T>>& transforms = {});

}  // namespace larmor
