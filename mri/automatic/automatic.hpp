#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/model/series.hpp>
#include <larmor/mri/quality/random_image.hpp>
#include <larmor/mri/reconstruct/options/options.hpp>
#include <larmor/mri/reconstruct/options/report.hpp>
#include <larmor/solvers/risk/tikhonov_choice.hpp>

namespace LARMOR_API larmor {

/// Finds how a scan is solved for when it is not told: with or without density weights, with which Tikhonov
/// weight and how many iterations. Its means is a parametric bootstrap (Efron 1979): a random image of the
/// data's own power spectrum goes through the scan's own model with noise of the data's own variance. Of that
/// image the truth is known, and what is nearest to it is made of the data too. Where that can be relied on
/// it takes the random image's place (probable_image()), and again where that changes the choice: an object
/// that fills a small part of the field of view, or whose phases are those of edges, needs other weights and
/// iterations than a random one. Whatever is nearest to the new image is what is best to expect for the data.
template <typename T>
class AutomaticSearch {
 public:
  using C = std::complex<T>;  ///< of vectors

  /// `unknown`: [outer…, (z,) y, x] with `dims` axes of space. noise_variance: of a sample; 0: not known, it
  /// is then estimated from what no image explains.
  AutomaticSearch(const Shape& unknown, int dims, double noise_variance, Context& ctx)
      : unknown_(unknown), dims_(dims), noise_(noise_variance), ctx_(ctx) {}

  /// Errors count within this part of k-space [(z,) y, x] (hull_of_kspace()): beyond what the trajectory
  /// reaches all images are wrong, and noise there says nothing of the rest.
  void judge_within(View<const float> region);
  /// Tries the problem with one density; the first one that is added also gives the random image its size.
  /// power: of the data. model: made with `density`, its root_density kept; normal: its normal operator.
  /// Solutions of at most `most` iterations are looked at. whole: the data are those of the model; those of a
  /// thinned one hold what lies outside of its field of view, and tell the power spectrum alone. Of thinned
  /// volumes no λ is looked for.
  void add(DensityKind density, const PowerSpectrumEstimate& power, const SeriesProblem<T>& model,
           const LinearOperator<T>& normal, Index most, bool whole);
  /// The best of all that was tried. Where data are no more than noise `noise_alone`, and a safe choice.
  AutomaticChoice choice() const;

 private:
  Array<C> weighted_noise(const SeriesProblem<T>& model) const;
  void measure_noise(const SeriesProblem<T>& model, const LinearOperator<T>& normal, View<const C> b,
                     View<const C> g, double noise_energy);
  bool confine_image(View<const C> g);
  Array<C> with_noise(Array<C> data, View<const C> g) const;
  Array<C> data_of_image(const LinearOperator<T>& normal, View<const C> g);
  void choose_by_probable(TikhonovChoice& choice, const LinearOperator<T>& normal, TikhonovSearch<T> search,
                          View<const C> b, View<const C> g, Array<C>& solution);
  void set_image(const PowerSpectrumEstimate& power, const SeriesProblem<T>& model, View<const C> b,
                 View<const C> g, bool whole);

  Shape unknown_;
  int dims_;
  double noise_;
  Context& ctx_;
  Array<C> random_;    // the random image that probable ones are made with
  Array<C> image_;     // what is looked for, in the units of the solution
  double signal_ = 0;  // ‖A image‖² that the data have
  bool noise_alone_ = false;
  Operator<T> reached_;  // to the k-space that is judged, unless all is
  std::vector<AutomaticCandidate> candidates_;
};

/// What was found, in words, to the reporter; a warning where the data are noise alone or `most` iterations
/// were too few.
void tell(const AutomaticChoice& choice, Context& ctx);

}  // namespace larmor
