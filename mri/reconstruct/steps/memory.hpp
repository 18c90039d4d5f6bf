#pragma once

#include <larmor/core/export.hpp>
#include <larmor/mri/reconstruct/options/memory_plan.hpp>
#include <larmor/mri/reconstruct/steps/problems.hpp>
#include <larmor/operators/linear_operator.hpp>

namespace LARMOR_API larmor {

/// Predicted peak memory of the reconstruction, with the form of the normal operator that fits the context's
/// limit, and the options that make the operator choose that form.
struct MemoryDecision {
  MemoryPlan plan;
  NormalOptions normal;
  bool small_grid = false;     ///< NufftOptions::small_grid
  double nufft_tolerance = 0;  ///< NufftOptions::tolerance
  /// Coils transformed at a time, with their maps and samples in host memory; 0: all.
  Index coil_block = 0;
  /// Placement of coil maps and samples.
  Placement placement() const { return coil_block > 0 ? Placement::host : Placement::device; }
  std::size_t process = 0, scan = 0;  ///< bytes in use before
  Index segments = 0;                 ///< of a field map; 0: their number is not known yet
};

/// For the largest problem of the list; allocates nothing of the data's size. coils: of the data. The number
/// of time segments of a field map is known only once it has been approximated: a first decision leaves their
/// tables out, and is then made again from `before`, with its `segments` set. Throws Error (resource) if even
/// the smallest form does not fit.
MemoryDecision decide_memory(const Scan& scan, const ScanPlan& plan, const ProblemList& list, Index coils,
                             const ReconstructOptions& options, Context& ctx,
                             const MemoryDecision* before = nullptr);

/// Reports the decision.
void tell(const MemoryDecision& memory, Context& ctx);

/// Tolerance of a transform that is used once or twice in addition to a Toeplitz operator.
double once_used_tolerance(double asked);

/// Summary of what reconstruct() would do with a scan.
struct ReconstructionPreview {
  SeriesSummary series;
  Index problems = 0;  ///< number of problems solved one after the other
  MemoryPlan memory;   ///< at its peak, including what the process already uses
};
/// Throws Error as plan_problems and decide_memory.
ReconstructionPreview preview_reconstruction(const Scan& scan, const ScanPlan& plan,
                                             const ReconstructOptions& options, Context& ctx);

}  // namespace larmor
