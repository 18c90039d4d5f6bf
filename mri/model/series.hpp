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

// From the data of one image or of a series of frames to one linear problem: which of the models of sense.hpp
// describes it.

/// The time segments of a field map for all frames of a series, one frame's samples after the other.
struct FrameSegments {
  TimeSegments segments;
  SegmentError error;  ///< against exact exponentials
};
/// Throws Error as time_segments does.
FrameSegments segments_of_frames(const std::vector<PreparedImage>& frames, const FieldMap& field,
                                 const SegmentOptions& options, Context& ctx);

/// Which part of a problem its data are, where others have the rest. Transforms are planned for the whole, so
/// that every division has the same ones.
struct PartOfProblem {
  Index coils_before = 0, all_coils = 0;  ///< coils before these, and all; 0: these are all
};

/// Samples that lie one after the other in a part of a problem and in the whole of it.
struct SampleRun {
  Index first = 0;  ///< in the whole
  Index count = 0;
};

/// References are borrowed for the length of a call.
struct SeriesOptions {
  NufftOptions nufft;  ///< batch is set from the maps
  PartOfProblem part;
  /// Of the solve grid; needs the samples' times.
  const FieldMap* field = nullptr;
  SegmentOptions segments;
  /// segments_of_frames() of the field map where they are at hand.
  const FrameSegments* frame_segments = nullptr;
  /// The frames are the basis's echoes, in their order: coefficient images are solved for instead of frames.
  const SubspaceBasis* basis = nullptr;
  /// Take stacks of stars or spirals apart into slices, where the problem is a single image of one set of
  /// maps.
  bool decouple_slices = true;
  /// Compress a stack's coils to so many slice by slice (geometric_compression); 0: not.
  Index geometric_coils = 0;
  /// Coils that are transformed at a time, samples and maps then in the host's memory; 0: all. With a field
  /// map or a basis a divisor of their number.
  Index coil_block = 0;
  /// Fill SeriesProblem::root_density, SeriesProblem::map_energy.
  bool keep_root_density = false, keep_map_energy = false;
};

/// How a model came about.
struct SeriesReport {
  Index segments = 0;          ///< of the field map; 0: none
  double centre_hz = 0;        ///< the frequency that the segments are about
  SegmentError segment_error;  ///< against exact exponentials
  bool slices_decoupled = false;
};

/// A model and its data.
template <typename T>
struct SeriesProblem {
  /// domain [U…] of one frame, [frames…, U…] of several, [coefficients, U…] with a basis, where U… is
  /// [(z,) y, x], behind the number of map sets or bands where there are several, or of the coils where there
  /// are no maps.
  OperatorPtr<T> model;
  Array<std::complex<T>> samples;  ///< model's codomain, on the context's device, times √weights
  /// Of each frame, where the model is made of them; they may serve another problem of the same trajectories.
  std::vector<Nufft<T>> transforms;
  double weight = 0;      ///< Σ weights of the samples
  Array<T> root_density;  ///< √weights of every sample, as `samples` lie, in host memory; empty: 1
  /// Σ|m|² over the coils of the model, [(z,) y, x] behind the number of map sets or bands where there are
  /// several, in host memory.
  Array<double> map_energy;
  SeriesReport report;
  /// Where the samples lie among those of the whole problem, one run after the other.
  std::vector<SampleRun> runs;
  /// Who have the rows of the model that this one lacks; null: it has them all.
  std::shared_ptr<Communicator> ranks;
};

/// frames: their data; `weights` are the density of the objective (empty: 1), `times` is needed with a field
/// map. shape: the axes of the series, of as many entries as there are frames; {} for a single image. sets:
/// coil maps on the context's device, each set with an image of its own, or of each band of frames that have
/// these; none: the coils' images of shape
/// `image` are solved for. transforms: those of an earlier problem with the same trajectories, weights and
/// options; empty: they are made. Throws Error: input when the basis has another number of echoes than there
/// are frames, bands other maps than factors, the field map another grid than the coil maps, or geometric
/// compression no stack; usage as geometric_compression.
template <typename T>
SeriesProblem<T> series_problem(std::vector<PreparedImage> frames, const Shape& shape, const Shape& image,
                                const std::vector<CoilMaps<T>>& sets, const SeriesOptions& options,
                                Context& ctx, const std::vector<Nufft<T>>& transforms = {});

}  // namespace larmor
