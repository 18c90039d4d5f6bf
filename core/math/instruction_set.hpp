#pragma once

namespace larmor {

/// What this processor's vector instructions are.
enum class InstructionSet { portable, avx2, avx512 };

/// Whether there are loops for more than the portable one in this build; calls of others stand behind
/// `if constexpr (several_instruction_sets)`.
#ifdef LARMOR_X86
inline constexpr bool several_instruction_sets = true;
#else
inline constexpr bool several_instruction_sets = false;
#endif

/// The best that the processor has; the environment variable LARMOR_ISA can ask for a lesser one.
InstructionSet instruction_set();
/// "avx512", "avx2" or "portable"
const char* to_string(InstructionSet set);

}  // namespace larmor
