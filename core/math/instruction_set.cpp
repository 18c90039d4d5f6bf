#include <larmor/core/math/instruction_set.hpp>

#include <cstdlib>
#include <string_view>

namespace larmor {
namespace {

InstructionSet detect() {
  InstructionSet best = InstructionSet::portable;
#ifdef LARMOR_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) best = InstructionSet::avx2;
  if (best == InstructionSet::avx2 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    best = InstructionSet::avx512;
#endif
  if (const char* wish = std::getenv("LARMOR_ISA")) {
    if (std::string_view(wish) == "portable") best = InstructionSet::portable;
    if (std::string_view(wish) == "avx2" && best == InstructionSet::avx512) best = InstructionSet::avx2;
  }
  return best;
}

}  // namespace

InstructionSet instruction_set() {
  static const InstructionSet set = detect();
  return set;
}

const char* to_string(InstructionSet set) {
  return set == InstructionSet::avx512 ? "avx512" : set == InstructionSet::avx2 ? "avx2" : "portable";
}

}  // namespace larmor
