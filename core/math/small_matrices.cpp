#include <larmor/core/math/instruction_set.hpp>
#include <larmor/core/math/small_matrices.hpp>

namespace larmor {

#define LARMOR_DECLARE(isa)             \
  namespace isa {                       \
  void run(const PowerIteration& task); \
  void run(const PhaseSums& task);      \
  void run(const GramUpdate& task);     \
  void run(const RowMix& task);         \
  }
LARMOR_DECLARE(portable)
LARMOR_DECLARE(avx2)
LARMOR_DECLARE(avx512)
#undef LARMOR_DECLARE

namespace {

template <typename Task>
void run_best(const Task& task) {
  if constexpr (several_instruction_sets) {
    if (instruction_set() == InstructionSet::avx512) return avx512::run(task);
    if (instruction_set() == InstructionSet::avx2) return avx2::run(task);
  }
  portable::run(task);
}

}  // namespace

void run(const PowerIteration& task) {
  run_best(task);
}
void run(const PhaseSums& task) {
  run_best(task);
}
void run(const GramUpdate& task) {
  run_best(task);
}
void run(const RowMix& task) {
  run_best(task);
}

}  // namespace larmor
