#include <larmor/core/vectors/partial_vectors.hpp>

namespace larmor {
namespace {

thread_local Communicator* current = nullptr;

}  // namespace

PartialVectors::PartialVectors(Communicator* ranks) : before_(current) {
  current = ranks;
}

PartialVectors::~PartialVectors() {
  current = before_;
}

Communicator* PartialVectors::ranks() {
  return current;
}

}  // namespace larmor
