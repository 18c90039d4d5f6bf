#pragma once

#include <larmor/mri/reconstruct/reconstruct.hpp>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

// Reconstructions divided among several ranks in every possible way.

namespace larmor::test {

/// A scan, its reconstruction options, and the dimension that is divided.
struct Case {
  std::string name;
  Scan (*scan)();
  void (*change)(ReconstructOptions&);
  Split split;
  const char* divided;
  int ranks = 2;
  double tolerance = 1e-5;
};
/// Name of the case, for messages.
void PrintTo(const Case& tested, std::ostream* out);

/// All cases.
const std::vector<Case>& rank_cases();
/// The cases whose result depends on random numbers.
std::vector<Case> cases_of_choices();
/// A radial slice of a head; the other cases are variants of it.
Scan one_slice();
/// Five such slices, each with its own spokes.
Scan five_slices();
/// Returns the scan unchanged.
void as_it_is(ReconstructOptions& options);
ReconstructOptions options_of(const Case& tested);
/// Values that ranks compare before they divide one_slice(), as a rank of this version computes them.
void meet_as(const std::string& version, Communicator& ranks);
/// Final result of one rank; null: a single process.
Reconstruction by_rank(const Case& tested, std::shared_ptr<Communicator> ranks, const Device& device);
/// Relative error over all images.
double difference(const Reconstruction& a, const Reconstruction& b);

}  // namespace larmor::test
