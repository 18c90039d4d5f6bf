#pragma once

namespace larmor {

/// Vector instruction set of this processor.
enum class InstructionSet { portable, avx2, avx512 };

/// True if this build has loops for more than the portable set; calls of others are inside `if constexpr
/// (several_instruction_sets)`.
#ifdef LARMOR_X86
inline constexpr bool several_instruction_sets = true;
#else
inline constexpr bool several_instruction_sets = false;
#endif

/// The best set of the processor; the environment variable LARMOR_ISA can select a lower one.
InstructionSet instruction_set();
/// "avx512", "avx2" or "portable"
const char* to_string(InstructionSet set);

}  // namespace larmor
