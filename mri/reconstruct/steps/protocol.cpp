#include <larmor/core/parallel.hpp>
#include <larmor/mri/reconstruct/steps/protocol.hpp>

#include <bit>

namespace LARMOR_API larmor {
namespace {

/// FNV-1a (Fowler, Noll, Vo) of whole numbers instead of bytes.
struct Hash {
  std::uint64_t value = 14695981039346656037U;
  void add(std::uint64_t number) {
    value = (value ^ number) * 1099511628211U;
    value ^= value >> 32U;
  }
};

// The hash of the hashes of chunks; never 0.
std::uint64_t fingerprint(const std::vector<PreparedImage>& frames, const Context& ctx) {
  constexpr Index chunk = 1 << 16;
  Hash hash;
  for (const PreparedImage& frame : frames)
    for (const Array<double>* values : {&frame.trajectory, &frame.weights}) {
      const Index count = values->size();
      std::vector<Hash> chunks(static_cast<std::size_t>((count + chunk - 1) / chunk));
      parallel_for(ctx, count, chunk, [&](Index begin, Index end, int) {
        Hash& own = chunks[static_cast<std::size_t>(begin / chunk)];
        for (Index i = begin; i < end; ++i) own.add(std::bit_cast<std::uint64_t>((*values)[i]));
      });
      hash.add(static_cast<std::uint64_t>(count));
      for (const Hash& own : chunks) hash.add(own.value);
    }
  return hash.value | 1U;
}

bool same_place(const ImageGeometry& a, const ImageGeometry& b) {
  return a.position == b.position && a.read_dir == b.read_dir && a.phase_dir == b.phase_dir;
}

}  // namespace

bool Protocol::fits(const ScanPlan& plan) const {
  return decided && decided->channels.inverse.shape()[0] == plan.channels &&
         decided->recon == plan.grids.recon && decided->solve == plan.grids.solve;
}

MemoryDecision Protocol::memory_of(const ProblemSizes& sizes, const std::function<MemoryDecision()>& decide) {
  // Kept parts are already included.
  if (memory && memory->first == sizes) return memory->second;
  MemoryDecision now = decide();
  if (memory) {
    const MemoryDecision& before = memory->second;
    if (now.coil_block != before.coil_block)
      parts = {};
    else if (!(now.normal == before.normal) || now.small_grid != before.small_grid ||
             now.nufft_tolerance != before.nufft_tolerance)
      trajectory = 0;
  }
  memory.emplace(sizes, now);
  return now;
}

void Protocol::recall(ReconstructionReport& of_scan) const {
  if (!report) return;
  of_scan.calibration = report->calibration;
  of_scan.transform.tolerance = report->transform.tolerance;
  of_scan.transform.error_measured = report->transform.error_measured;
  of_scan.transform.oversampling = report->transform.oversampling;
  of_scan.transform.kernel_width = report->transform.kernel_width;
}

template <typename T>
void Protocol::begin(const PlannedProblem& problem, const std::vector<PreparedImage>& frames, bool alone,
                     const Context& ctx) {
  auto& shared = std::get<SharedParts<T>>(parts);
  const std::uint64_t now = alone ? 0 : fingerprint(frames, ctx);
  if (now != 0 && now == trajectory) {
    shared.trajectory = problem.trajectory;
    shared.normal_key.first = problem.trajectory;
  } else {
    shared.trajectory.reset();
  }
  trajectory = now;
}

template <typename T>
void Protocol::begin(const ScanPlan& plan) {
  auto& shared = std::get<SharedParts<T>>(parts);
  std::map<std::uint16_t, ImageGeometry> now;
  for (const PlannedImage& image : plan.images) now.try_emplace(image.counters.slice, image.geometry);
  for (const auto& [slice, geometry] : now) {
    const auto before = places.find(slice);
    if (before == places.end() || !same_place(before->second, geometry)) {
      shared.maps.erase(slice);
      if (shared.normal_key.second == slice) shared.normal.reset();
    }
    places[slice] = geometry;
  }
}

#define LARMOR_INSTANTIATE(T)                                                                      \
  template void Protocol::begin<T>(const PlannedProblem&, const std::vector<PreparedImage>&, bool, \
                                   const Context&);                                                \
  template void Protocol::begin<T>(const ScanPlan&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor
