#pragma once

#include <larmor/bench/papers/measurement.hpp>

namespace larmor::bench {

/// A published system: its published results, and the same problem here.
struct Paper {
  std::string name, title, claim;
  std::string here;  ///< the problem measured here, and how it is scaled
  void (*measure)(Size, const Sink&, Context&);
};
/// One entry for each system; described in docs/papers.md.
const std::vector<Paper>& papers();

/// Gaussian gridding of real data in one dimension: exact sums, the textbook implementation, and the
/// transforms on the CPU and on the context's device.
void line_comparisons(Size size, const Sink& sink, Context& ctx);
/// Random and clustered points in three dimensions, both directions.
void random_transforms(Size size, const Sink& sink, Context& ctx);
/// From points to points in two dimensions.
void type3_transforms(Size size, const Sink& sink, Context& ctx);
/// Gain by tuning over a fixed grid.
void tuned_transforms(Size size, const Sink& sink, Context& ctx);
/// Spectra of sparse binary matrices, compared with dense transforms.
void sparse_transforms(Size size, const Sink& sink, Context& ctx);
/// Radial and kooshball trajectories with several coils, both directions.
void trajectory_transforms(Size size, const Sink& sink, Context& ctx);
/// Normal operators with coil maps and a whole CG-SENSE.
void sense_problems(Size size, const Sink& sink, Context& ctx);

}  // namespace larmor::bench
