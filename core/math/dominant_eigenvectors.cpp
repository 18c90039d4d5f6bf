#include <larmor/core/math/dominant_eigenvectors.hpp>
#include <larmor/core/math/instruction_set.hpp>
#include <larmor/core/math/power_iteration.hpp>

namespace larmor {

#define LARMOR_DECLARE(isa)                         \
  namespace isa {                                   \
  void power_iteration(const PowerIteration& task); \
  }
LARMOR_DECLARE(portable)
LARMOR_DECLARE(avx2)
LARMOR_DECLARE(avx512)
#undef LARMOR_DECLARE

void dominant_eigenvectors(const HermitianRow& row, std::vector<float>& vectors,
                           std::vector<float>& eigenvalues) {
  const Index channels = row.channels(), pixels = row.pixels();
  vectors.resize(static_cast<std::size_t>(2 * channels * pixels));
  eigenvalues.resize(static_cast<std::size_t>(pixels));
  std::vector<float> scratch(static_cast<std::size_t>(power_iteration_scratch(channels)));
  const PowerIteration task{channels,           pixels,        row.real(0, 0), vectors.data(),
                            eigenvalues.data(), scratch.data()};
  if constexpr (several_instruction_sets) {
    if (instruction_set() == InstructionSet::avx512) return avx512::power_iteration(task);
    if (instruction_set() == InstructionSet::avx2) return avx2::power_iteration(task);
  }
  portable::power_iteration(task);
}

}  // namespace larmor
