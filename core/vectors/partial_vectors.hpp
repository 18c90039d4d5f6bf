#pragma once

#include <larmor/core/communicator/communicator.hpp>
#include <larmor/core/export.hpp>

namespace LARMOR_API larmor {

/// While it lives, vectors that this thread takes inner products, norms and maxima of are parts of longer
/// ones, of which other ranks have the rest: the results are those of the whole, the same on all ranks. A
/// solver between such results takes the same steps on every rank, each with its own part of the iterate.
class PartialVectors {
 public:
  /// ranks: borrowed; null: vectors are whole.
  explicit PartialVectors(Communicator* ranks);
  PartialVectors(const PartialVectors&) = delete;
  PartialVectors& operator=(const PartialVectors&) = delete;
  ~PartialVectors();
  /// Of this thread; null: vectors are whole.
  static Communicator* ranks();

 private:
  Communicator* before_;
};

}  // namespace larmor
