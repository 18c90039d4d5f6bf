#pragma once

#include <larmor/operators/nufft/tune/tuner.hpp>

#include <vector>

namespace larmor {

/// Expected times of candidates: a part for the points and one for the grid, each multiplied by a factor that
/// is fitted to the measurements so far.
class TuneModel {
 public:
  TuneModel(Index samples, int dims, Index coils, bool double_precision, int directions, const Context& ctx);
  double predict(const TuneTrial& candidate) const;
  /// Takes a measured candidate into account.
  void learn(const TuneTrial& measured);

 private:
  struct Parts {
    double points, cells;
  };
  struct Fit {
    std::vector<Parts> parts;
    std::vector<double> ms;
    double points = 1, cells = 1;  // factors
    void update();
  };
  Parts parts(const TuneTrial& candidate) const;
  const Fit& fit(NufftMethod method) const { return fits_[method == NufftMethod::matrix ? 1 : 0]; }

  double samples_, coils_, directions_, point_, touched_, entry_, cell_;
  int dims_;
  Fit fits_[2];
};

}  // namespace larmor
