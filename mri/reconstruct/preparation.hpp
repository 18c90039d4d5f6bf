#pragma once

#include <larmor/mri/quality/power_spectrum.hpp>
#include <larmor/mri/reconstruct/decide.hpp>
#include <larmor/mri/reconstruct/steps/calibrate.hpp>
#include <larmor/mri/reconstruct/steps/model.hpp>
#include <larmor/mri/reconstruct/steps/protocol.hpp>

#include <future>
#include <optional>
#include <vector>

namespace larmor {

/// The steps from a scan to linear models, for the problems of a list in order, with shared parts. On several
/// ranks: for this rank's part of each problem, with its model joined with those of the others. Everything
/// except the scan is borrowed.
template <typename T>
class Preparation {
 public:
  Preparation(Scan scan, const ReconstructOptions& options, const Selection& selection, Decisions& decisions,
              ReconstructionReport& report, StageClock& clock, Context& ctx);

  /// The data of a problem's frames.
  std::vector<PreparedImage> load(const PlannedProblem& problem);
  /// On a GPU the CPU reads the data of a slice while the previous one is being solved; load() then returns
  /// them.
  void load_ahead(const PlannedProblem& problem);
  /// The maps of its slice, computed if necessary. frames: its data if available; otherwise null.
  void calibrate(const PlannedProblem& problem, const std::vector<PreparedImage>* frames);
  /// The maps of all problems' slices, several in parallel if a slice does not fill the device.
  void calibrate_all(const std::vector<std::size_t>& order);
  /// Gives the frames their density weights. keep: for later problems with the same trajectory.
  void weigh(const PlannedProblem& problem, std::vector<PreparedImage>& frames, bool keep);
  /// Builds the linear model of the frames, with their samples.
  SeriesProblem<T> model(const PlannedProblem& problem, std::vector<PreparedImage> frames);
  /// Power of all ranks' data in shells of the image's k-space, with their weights.
  PowerSpectrumEstimate power(const std::vector<PreparedImage>& frames) const;
  /// ImageReport::not_sampled of a problem's data.
  double not_sampled(const std::vector<PreparedImage>& frames);
  /// max|Aᴴy| over problems, and the problem that has it.
  struct CommonScale {
    double scale = 0;         ///< on all ranks, so that one λ has the same weight in all problems
    std::size_t brightest{};  ///< the problem, as an index in this rank's order
    bool here = true;         ///< this rank has the brightest of all
  };
  /// Maximum over the problems in this order.
  CommonScale common_scale(const std::vector<std::size_t>& order);

  /// Call this when nothing more will be loaded. Returns the scan's header.
  std::string let_go_of_data();

  const ReconstructOptions& options;
  const Selection& selection;
  Decisions& decisions;
  SharedParts<T>& shared;  ///< the protocol's if there is one

 private:
  const Selection& own_selection() const { return own_selection_ ? *own_selection_ : selection; }
  std::size_t calibration_lanes(std::size_t slices) const;
  MapsInput maps_input(std::uint16_t slice, const PreparedImage* loaded) const {
    return {scan_, selection, options.coils, slice, loaded, decisions.memory.placement()};
  }

  SharedParts<T> own_shared_;
  bool begun_ = false;  // the first problem's trajectory is known
  Scan scan_;
  ReconstructionReport& report_;
  StageClock& clock_;
  Context& ctx_;
  Context host_;                            // device on which readouts become samples
  const Share coils_;                       // this rank's
  std::optional<Selection> own_selection_;  // including these, if they are not all

  // Started by load_ahead(), for the problem with this first image.
  struct Ahead {
    std::size_t first_image;
    std::future<std::vector<PreparedImage>> frames;
  };
  std::optional<Context> ahead_workers_;
  std::optional<Ahead> coming_;
};

}  // namespace larmor
